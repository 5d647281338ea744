"""When a ReplicaSet or a ReplicationController is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.state import State
from tests.unit.readiness.samples import condition, judged, live, state


def replica_set(wanted: int | None = 2, **status: Any) -> Object:
    counts = dict.fromkeys(("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"), 2)
    return live(
        "apps/v1", "ReplicaSet", spec={"replicas": wanted}, status={"observedGeneration": 2, **counts, **status}
    )


def test_all_pods_available_is_ready() -> None:
    assert state(replica_set()) is State.CURRENT


@pytest.mark.parametrize("key", ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"])
@pytest.mark.parametrize("number", [0, 1, None])
def test_one_less_is_in_progress(key: str, number: int | None) -> None:
    assert state(replica_set(**{key: number})) is State.IN_PROGRESS


def test_one_too_many_is_in_progress() -> None:
    assert state(replica_set(replicas=3)) is State.IN_PROGRESS


@pytest.mark.parametrize("observed", [None, 1, 3])
def test_a_status_of_another_generation_does_not_count(observed: int | None) -> None:
    assert state(replica_set(observedGeneration=observed)) is State.IN_PROGRESS


def test_zero_wanted_is_ready() -> None:
    none = dict.fromkeys(("fullyLabeledReplicas", "readyReplicas", "availableReplicas"))
    assert state(replica_set(0, replicas=0, **none)) is State.CURRENT


def test_a_failure_to_create_pods_keeps_it_open_and_is_shown() -> None:
    verdict = judged(replica_set(conditions=[condition("ReplicaFailure", message="denied by webhook")]))
    assert verdict.state is State.IN_PROGRESS
    assert "denied by webhook" in verdict.reason


def test_a_failure_that_is_over_does_not_count() -> None:
    assert state(replica_set(conditions=[condition("ReplicaFailure", "False")])) is State.CURRENT


def test_a_replication_controller_is_judged_alike() -> None:
    controller = {**replica_set(readyReplicas=1), "apiVersion": "v1", "kind": "ReplicationController"}
    assert state(controller) is State.IN_PROGRESS
