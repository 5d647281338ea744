"""When a DaemonSet is ready."""

from __future__ import annotations

import pytest

from hook.readiness.state import State
from tests.unit.readiness.samples import daemon_set, judged, state

ON_DELETE = {"updateStrategy": {"type": "OnDelete"}}


def test_an_updated_and_available_pod_on_each_node_is_ready() -> None:
    verdict = judged(daemon_set())
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


@pytest.mark.parametrize("key", ["currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"])
@pytest.mark.parametrize("number", [0, 2, None])
def test_one_less_is_in_progress(key: str, number: int | None) -> None:
    assert state(daemon_set(**{key: number})) is State.IN_PROGRESS


@pytest.mark.parametrize("observed", [None, 1, 3])
def test_a_status_of_another_generation_does_not_count(observed: int | None) -> None:
    assert state(daemon_set(observedGeneration=observed)) is State.IN_PROGRESS


def test_nodes_that_are_not_counted_yet_are_waited_for() -> None:
    assert state(daemon_set(desiredNumberScheduled=None)) is State.IN_PROGRESS


def test_no_matching_node_is_ready_with_a_warning() -> None:
    keys = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady")
    verdict = judged(daemon_set(**dict.fromkeys(keys, 0), updatedNumberScheduled=None, numberAvailable=None))
    assert verdict.state is State.CURRENT
    assert verdict.warning == "it matches no node"


def test_on_delete_with_stale_pods_is_ready_with_a_warning() -> None:
    verdict = judged(daemon_set(ON_DELETE, updatedNumberScheduled=1))
    assert verdict.state is State.CURRENT
    assert verdict.warning is not None
    assert verdict.warning.startswith("2 pods")


@pytest.mark.parametrize("key", ["currentNumberScheduled", "numberAvailable", "numberReady"])
def test_on_delete_does_not_excuse_pods_that_are_not_ready(key: str) -> None:
    assert state(daemon_set(ON_DELETE, **{key: 2})) is State.IN_PROGRESS


def test_on_delete_with_all_pods_updated_is_not_warned_about() -> None:
    assert judged(daemon_set(ON_DELETE)).warning is None
