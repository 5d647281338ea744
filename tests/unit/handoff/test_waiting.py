"""When a wait ends: with two Ready reads of the same generations, or at once where there is nothing to hope for."""

from __future__ import annotations

import time

import pytest

from hook.errors import TimeLimit, Unreachable, WorkloadFailed
from tests.unit.cluster.scripted import eventually
from tests.unit.handoff.waiting_room import WaitingRoom

_EXCEEDED = {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]}


def test_it_ends_a_second_after_the_last_one_is_ready() -> None:
    with WaitingRoom("a", "b").waiting() as room:
        room.until_watched()
        room.put("a", ready=True)
        time.sleep(0.3)
        room.put("b", ready=True)
        began = time.monotonic()
        assert room.end() - began >= 1.0


def test_it_takes_as_long_as_the_longest_min_ready_seconds() -> None:
    with WaitingRoom("a", minReadySeconds=2).waiting() as room:
        room.until_watched()
        room.put("a", ready=True)
        began = time.monotonic()
        assert room.end() - began >= 2.0


def test_one_read_is_enough_where_nothing_is_to_be_retired() -> None:
    with WaitingRoom("a", twice=False).waiting() as room:
        room.until_watched()
        room.put("a", ready=True)
        room.end()
        assert room.lists == 1


@pytest.mark.parametrize("change", [{"ready": False}, {"ready": True, "generation": 2}], ids=["unready", "changed"])
def test_what_changes_in_between_begins_the_second_anew(change: dict[str, bool]) -> None:
    with WaitingRoom("a").waiting() as room:
        room.until_watched()
        room.put("a", ready=True)
        time.sleep(0.5)
        room.put("a", **change)  # type: ignore[arg-type]
        room.put("a", ready=True, generation=2)
        began = time.monotonic()
        assert room.end() - began >= 1.0


def test_the_second_read_goes_past_the_watch() -> None:
    """A watch that tells nothing any more must not be believed for ever."""
    with WaitingRoom("a").waiting() as room:
        room.until_watched()
        room.put("a", ready=True)
        room.put("a", ready=False, seen=False)
        time.sleep(1.5)
        assert room.waits
        room.put("a", ready=True)
        room.end()


def test_what_has_failed_for_good_ends_it_at_once() -> None:
    with WaitingRoom("a", "b").waiting() as room:
        room.until_watched()
        room.put("b", ready=False, **_EXCEEDED)
        with pytest.raises(WorkloadFailed, match=r"Deployment\.apps ns/b: Failed"):
            room.end(5.0)


def test_what_somebody_deletes_ends_it_at_once() -> None:
    with WaitingRoom("a").waiting() as room:
        room.until_watched()
        room.delete("a")
        with pytest.raises(Unreachable, match=r"Deployment\.apps ns/a was deleted"):
            room.end(5.0)


def test_a_passed_time_limit_names_everything_that_was_waited_for() -> None:
    with WaitingRoom("a", "b", timeout=1.0).waiting() as room, pytest.raises(TimeLimit) as raised:
        room.end(5.0)
    assert [line.partition(": ")[0] for line in raised.value.details] == [
        "Deployment.apps ns/a",
        "Deployment.apps ns/b",
    ]
    assert [entry["object"] for entry in room.journal.waiting_for] == ["Deployment.apps ns/a", "Deployment.apps ns/b"]


def test_a_watch_that_was_compacted_away_is_followed_by_a_list() -> None:
    too_old = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired", "message": "too old"}
    with WaitingRoom("a").waiting() as room:
        room.until_watched()
        room.put("a", ready=True, seen=False)
        room.end_streams({"type": "ERROR", "object": too_old})
        room.end()
        assert room.lists == 2


def test_nothing_is_left_on_the_list_of_what_is_waited_for() -> None:
    with WaitingRoom("a").waiting() as room:
        room.until_watched()
        assert eventually(lambda: bool(room.journal.waiting_for))
        room.put("a", ready=True)
        room.end()
        assert room.journal.waiting_for == []
        assert room.written[0].startswith("Deployment.apps ns/a: ")
