"""The Lease as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from hook.cluster.high_water import Mark
from hook.cluster.lease_record import duration, held_body, holder, released_body, written_at

PLACE = ("shop", "handoff-web", "web")
MARK = Mark("2026-01-01T09:00:00Z", "u", "shop", "j", "g")


def live(**spec: Any) -> dict[str, Any]:
    metadata = {
        "namespace": "shop",
        "name": "handoff-web",
        "uid": "l-1",
        "resourceVersion": "7",
        "creationTimestamp": "2026-01-01T08:00:00Z",
        "managedFields": [{"time": "2026-01-01T08:30:00Z"}, {"time": "2026-01-01T08:20:00Z"}, {}],
        "annotations": {"other": "kept"},
    }
    return {"kind": "Lease", "metadata": metadata, "spec": spec}


def test_a_take_over_counts_and_begins_anew() -> None:
    body = held_body(live(holderIdentity="b", leaseTransitions=4, acquireTime="then"), PLACE, "a", 30, MARK)

    assert body["spec"]["leaseTransitions"] == 5
    assert body["spec"]["acquireTime"] == body["spec"]["renewTime"]


def test_a_renewal_keeps_when_it_began() -> None:
    body = held_body(live(holderIdentity="a", leaseTransitions=4, acquireTime="then"), PLACE, "a", 30, MARK)

    assert (body["spec"]["leaseTransitions"], body["spec"]["acquireTime"]) == (4, "then")


def test_a_write_upon_a_lease_carries_its_uid_and_version() -> None:
    metadata = held_body(live(), PLACE, "a", 30, MARK)["metadata"]

    assert (metadata["uid"], metadata["resourceVersion"]) == ("l-1", "7")
    assert metadata["annotations"]["other"] == "kept"


def test_a_new_lease_has_neither() -> None:
    assert not {"uid", "resourceVersion"} & set(held_body(None, PLACE, "a", 30, MARK)["metadata"])


def test_a_mark_without_a_time_leaves_the_old_one() -> None:
    before = live()
    before["metadata"]["annotations"] |= MARK.annotations()

    assert Mark.of(held_body(before, PLACE, "a", 30, Mark(""))["metadata"]) == MARK


def test_a_released_lease_has_no_holder_and_the_same_mark() -> None:
    held = held_body(live(), PLACE, "a", 30, MARK)
    body = released_body({**held, "status": "ignored"})

    assert holder(body) == ""
    assert Mark.of(body["metadata"]) == MARK
    assert body["metadata"]["uid"] == "l-1"


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ({"leaseDurationSeconds": 5}, 5.0),
        ({}, 30.0),
        ({"leaseDurationSeconds": 0}, 30.0),
        ({"leaseDurationSeconds": "5"}, 30.0),
    ],
)
def test_a_duration_that_is_none_is_the_default(spec: dict[str, Any], seconds: float) -> None:
    assert duration(live(**spec), 30) == seconds


def test_the_last_write_is_the_latest_of_all_managers() -> None:
    assert written_at(live()) == "2026-01-01T08:30:00Z"


def test_without_managers_it_is_the_creation() -> None:
    lease = live()
    del lease["metadata"]["managedFields"]

    assert written_at(lease) == "2026-01-01T08:00:00Z"
