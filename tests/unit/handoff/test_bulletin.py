"""When what is waited for is told: at once, but neither the log nor the API server is flooded."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from hook.cluster.answers import ApiError, Cause, api_error
from hook.handoff.bulletin import Bulletin
from hook.handoff.obstacles import Obstacle
from hook.manifests.identity import Identity
from hook.readiness.state import State
from hook.report.journal import Journal

WEB = Identity("apps", "Deployment", "ns", "web")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("hook.handoff.bulletin.time", clock)
    return clock


def obstacle(reason: str) -> Obstacle:
    return Obstacle(str(WEB), State.IN_PROGRESS, reason, 50.0)


def test_the_sets_are_told_when_a_wait_begins_and_then_at_most_every_ten_seconds(clock: Clock) -> None:
    written: list[str] = []
    bulletin = Bulletin(Journal(), written.append)
    for second in range(25):
        clock.now = 100.0 + second
        bulletin.post([obstacle(f"{second} pods")])
    assert [text.partition(" (since")[0].removeprefix(f"{WEB}: ") for text in written] == [
        "0 pods",
        "10 pods",
        "20 pods",
    ]


def test_the_sets_are_not_told_twice_what_has_not_changed(clock: Clock) -> None:
    written: list[str] = []
    bulletin = Bulletin(Journal(), written.append)
    for second in range(60):
        clock.now = 100.0 + second
        bulletin.post([obstacle("0 pods")])
    assert len(written) == 1


def test_a_write_that_fails_for_a_passing_cause_is_made_up_for(clock: Clock) -> None:
    written: list[str] = []

    def write(text: str) -> None:
        written.append(text)
        if len(written) == 1:
            raise api_error(Cause.UNAVAILABLE, "update", WEB, "no answer")

    bulletin = Bulletin(Journal(), write)
    bulletin.post([obstacle("0 pods")])
    clock.now += 10
    bulletin.post([obstacle("0 pods")])
    clock.now += 10
    bulletin.post([obstacle("0 pods")])
    assert len(written) == 2


def test_a_write_that_is_refused_ends_the_run(clock: Clock) -> None:
    def write(_: str) -> None:
        raise api_error(Cause.FORBIDDEN, "update", WEB, "no")

    with pytest.raises(ApiError):
        Bulletin(Journal(), write).post([obstacle("0 pods")])


def test_the_log_tells_what_has_changed_within_a_second_and_the_same_every_ten(clock: Clock) -> None:
    bulletin = Bulletin(Journal())
    with capture_logs() as lines:
        for tenth in range(300):
            clock.now = 100.0 + tenth / 10
            bulletin.post([obstacle("one" if tenth < 5 else "two")])
    assert [line["for"].rpartition(" ")[2] for line in lines] == ["one", "two", "two", "two"]


def test_the_result_holds_what_is_waited_for_until_nothing_is() -> None:
    journal = Journal()
    bulletin = Bulletin(journal)
    bulletin.post([obstacle("0 pods")], ["an endpoint"])
    assert [entry["object"] for entry in journal.waiting_for] == ["an endpoint", str(WEB)]
    bulletin.close()
    assert journal.waiting_for == []


def test_since_when_is_asked_again_after_it_was_ready(clock: Clock) -> None:
    bulletin = Bulletin(Journal())
    assert bulletin.since(WEB) == 100.0
    clock.now = 200.0
    assert bulletin.since(WEB) == 100.0
    bulletin.is_ready(WEB)
    assert bulletin.since(WEB) == 200.0
