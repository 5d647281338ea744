"""When a StatefulSet is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.readiness.state import State
from tests.unit.readiness.samples import judged, state, stateful_set

ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}
NO_PARTITION = {"updateStrategy": None}


def partition(number: Any) -> dict[str, Any]:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": number}}}


def test_all_pods_updated_and_ready_is_ready() -> None:
    assert state(stateful_set()) is State.CURRENT


@pytest.mark.parametrize("key", ["replicas", "readyReplicas", "availableReplicas", "updatedReplicas"])
@pytest.mark.parametrize("number", [0, 2])
def test_one_less_is_in_progress(key: str, number: int) -> None:
    assert state(stateful_set(**{key: number})) is State.IN_PROGRESS


def test_one_too_many_is_in_progress() -> None:
    assert state(stateful_set(replicas=4)) is State.IN_PROGRESS


@pytest.mark.parametrize("observed", [None, 1, 3])
def test_a_status_of_another_generation_does_not_count(observed: int | None) -> None:
    assert state(stateful_set(observedGeneration=observed)) is State.IN_PROGRESS


@pytest.mark.parametrize(
    ("number", "updated", "expected"),
    [
        (0, 3, State.CURRENT),
        (0, 2, State.IN_PROGRESS),
        (1, 2, State.CURRENT),
        (1, 1, State.IN_PROGRESS),
        (2, 1, State.CURRENT),
        (2, 0, State.IN_PROGRESS),
        (3, 0, State.CURRENT),
        (5, 0, State.CURRENT),
    ],
)
def test_a_partition_limits_how_many_pods_have_to_be_updated(number: int, updated: int, expected: State) -> None:
    status = {"updatedReplicas": updated, "currentReplicas": 3 - updated, "currentRevision": "a"}
    assert state(stateful_set(partition(number), **status)) is expected


def test_a_partition_does_not_excuse_pods_that_are_not_ready() -> None:
    assert state(stateful_set(partition(3), updatedReplicas=0, readyReplicas=2)) is State.IN_PROGRESS


def test_without_a_partition_the_revisions_are_compared() -> None:
    assert state(stateful_set(NO_PARTITION)) is State.CURRENT
    assert state(stateful_set(NO_PARTITION, currentRevision="a")) is State.IN_PROGRESS
    assert state(stateful_set(NO_PARTITION, currentReplicas=2)) is State.IN_PROGRESS


def test_on_delete_with_stale_pods_is_ready_with_a_warning() -> None:
    verdict = judged(stateful_set(ON_DELETE, updatedReplicas=1, currentRevision="a"))
    assert verdict.state is State.CURRENT
    assert verdict.warning is not None
    assert verdict.warning.startswith("2 pods")


def test_on_delete_without_stale_pods_is_not_warned_about() -> None:
    assert judged(stateful_set(ON_DELETE)).warning is None


@pytest.mark.parametrize("ready", [0, 2])
def test_on_delete_does_not_excuse_pods_that_are_not_ready(ready: int) -> None:
    assert state(stateful_set(ON_DELETE, readyReplicas=ready)) is State.IN_PROGRESS


def test_zero_wanted_is_ready_once_observed() -> None:
    none = dict.fromkeys(
        ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "currentRevision")
    )
    assert state(stateful_set({"replicas": 0}, **none)) is State.CURRENT
    assert state(stateful_set({"replicas": 0}, **none, observedGeneration=None)) is State.IN_PROGRESS


def test_zero_wanted_with_a_pod_left_is_in_progress() -> None:
    assert state(stateful_set({"replicas": 0}, replicas=1)) is State.IN_PROGRESS


def test_where_no_availability_is_published_ready_is_enough() -> None:
    """Servers before 1.22."""
    assert state(stateful_set(availableReplicas=None)) is State.CURRENT


def test_where_seconds_of_readiness_are_asked_for_availability_has_to_be_published() -> None:
    assert state(stateful_set({"minReadySeconds": 5}, availableReplicas=None)) is State.IN_PROGRESS


@pytest.mark.parametrize("odd", ["2", -1, [], {}])
def test_an_odd_partition_is_in_progress(odd: Any) -> None:
    assert state(stateful_set(partition(odd))) is State.IN_PROGRESS
