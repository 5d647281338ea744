"""When a Pod is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.state import State
from tests.unit.readiness.samples import condition, judged, live, state


def pod(phase: Any, *conditions: Object, owners: list[Object] | None = None, **status: Any) -> Object:
    return live(
        "v1",
        "Pod",
        metadata={"ownerReferences": owners or []},
        spec={},
        status={"phase": phase, "conditions": list(conditions), **status},
    )


def waiting(reason: str) -> list[Object]:
    return [{"name": "a", "image": "i", "state": {"waiting": {"reason": reason}}}]


def test_running_and_ready_is_ready() -> None:
    assert state(pod("Running", condition("Ready"))) is State.CURRENT


def test_succeeded_is_ready() -> None:
    assert state(pod("Succeeded", condition("Ready", "False"))) is State.CURRENT


@pytest.mark.parametrize("phase", [None, "", "Pending", "Unknown", "Strange", 7])
def test_any_other_phase_is_in_progress(phase: Any) -> None:
    assert state(pod(phase, condition("Ready"))) is State.IN_PROGRESS


@pytest.mark.parametrize("ready", [[], [condition("Ready", "False")], [condition("Ready", "Unknown")]])
def test_running_and_not_ready_is_in_progress(ready: list[Object]) -> None:
    assert state(pod("Running", *ready)) is State.IN_PROGRESS


def test_failed_is_failed_and_tells_why() -> None:
    verdict = judged(pod("Failed", reason="Evicted", message="low on memory"))
    assert verdict.state is State.FAILED
    assert "Evicted: low on memory" in verdict.reason


def test_failed_is_left_to_the_job_that_owns_it() -> None:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True}
    assert state(pod("Failed", owners=[owner])) is State.CURRENT


@pytest.mark.parametrize(
    "owner",
    [
        {"apiVersion": "batch/v1", "kind": "Job", "name": "j"},
        {"apiVersion": "example.org/v1", "kind": "Job", "name": "j", "controller": True},
        {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "controller": True},
    ],
)
def test_failed_and_owned_by_no_job_is_failed(owner: Object) -> None:
    assert state(pod("Failed", owners=[owner])) is State.FAILED


@pytest.mark.parametrize("reason", ["CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull", "CreateContainerError"])
@pytest.mark.parametrize("key", ["containerStatuses", "initContainerStatuses"])
def test_what_may_heal_is_in_progress_and_warned_about(key: str, reason: str) -> None:
    verdict = judged(pod("Pending", **{key: waiting(reason)}))
    assert verdict.state is State.IN_PROGRESS
    assert verdict.warning is not None
    assert reason in verdict.warning


def test_unschedulable_is_in_progress_however_old_it_is() -> None:
    unschedulable = condition("PodScheduled", "False", "Unschedulable", message="0/3 nodes are available")
    obj = pod("Pending", unschedulable)
    obj["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
    verdict = judged(obj)
    assert (verdict.state, verdict.warning) == (State.IN_PROGRESS, None)
    assert "0/3 nodes are available" in verdict.reason
