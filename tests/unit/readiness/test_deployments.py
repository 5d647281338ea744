"""When a Deployment is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.readiness.state import State
from tests.unit.readiness.samples import condition, deployment, judged, state

EXCEEDED = condition("Progressing", "False", "ProgressDeadlineExceeded", message="no progress")
STARTED = condition("Progressing", reason="ReplicaSetUpdated")


def test_all_pods_updated_and_available_is_ready() -> None:
    assert state(deployment()) is State.CURRENT


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ({"replicas": 2, "updatedReplicas": 2}, "2 of 3 pods are there"),
        ({"replicas": 0}, "0 of 3 pods are there"),
        ({"replicas": None}, "0 of 3 pods are there"),
        ({"updatedReplicas": 2}, "2 of 3 pods are updated"),
        ({"updatedReplicas": 0}, "0 of 3 pods are updated"),
        ({"replicas": 4}, "1 old pods are not gone yet"),
        ({"readyReplicas": 2}, "2 of 3 pods are ready"),
        ({"readyReplicas": None}, "0 of 3 pods are ready"),
        ({"availableReplicas": 2}, "2 of 3 pods are available"),
        ({"availableReplicas": 0}, "0 of 3 pods are available"),
    ],
)
def test_one_pod_short_is_in_progress_and_says_what_is_missing(status: dict[str, Any], reason: str) -> None:
    verdict = judged(deployment(**status))
    assert (verdict.state, verdict.reason) == (State.IN_PROGRESS, reason)
    assert verdict.waiting_for


@pytest.mark.parametrize("observed", [None, 0, 1, 3, "1"])
def test_a_status_of_another_generation_does_not_count(observed: Any) -> None:
    assert state(deployment(observedGeneration=observed)) is State.IN_PROGRESS


def test_an_observed_generation_as_text_is_a_number() -> None:
    assert state(deployment(observedGeneration="2")) is State.CURRENT


def test_a_missing_status_is_in_progress() -> None:
    obj = deployment()
    del obj["status"]
    assert state(obj) is State.IN_PROGRESS


def test_replicas_are_one_where_the_manifest_names_none() -> None:
    one = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    assert state(deployment({"replicas": None}, **one)) is State.CURRENT
    assert state(deployment({"replicas": None}, **{**one, "readyReplicas": 0})) is State.IN_PROGRESS


@pytest.mark.parametrize("deadline", [600, 1, 2**31 - 2])
def test_with_a_deadline_the_rollout_has_to_be_complete(deadline: int) -> None:
    spec = {"progressDeadlineSeconds": deadline}
    assert state(deployment(spec, conditions=[condition("Available"), STARTED])) is State.IN_PROGRESS
    assert state(deployment(spec, conditions=[condition("Available")])) is State.IN_PROGRESS


@pytest.mark.parametrize("deadline", [None, 2**31 - 1])
def test_without_a_deadline_the_counts_are_enough(deadline: int | None) -> None:
    assert (
        state(deployment({"progressDeadlineSeconds": deadline}, conditions=[condition("Available")])) is State.CURRENT
    )


@pytest.mark.parametrize("available", [[], [condition("Available", "False")], [condition("Available", "Unknown")]])
def test_it_has_to_be_available(available: list[Any]) -> None:
    done = condition("Progressing", reason="NewReplicaSetAvailable")
    assert state(deployment(conditions=[done, *available])) is State.IN_PROGRESS


def test_a_passed_deadline_of_this_generation_is_failed_and_tells_the_message() -> None:
    verdict = judged(deployment(updatedReplicas=1, conditions=[EXCEEDED]))
    assert verdict.state is State.FAILED
    assert "no progress" in verdict.reason


def test_a_passed_deadline_fails_what_its_counts_call_complete() -> None:
    assert state(deployment(conditions=[EXCEEDED])) is State.FAILED


def test_a_passed_deadline_of_the_generation_before_is_in_progress() -> None:
    assert state(deployment(observedGeneration=1, updatedReplicas=1, conditions=[EXCEEDED])) is State.IN_PROGRESS


def test_a_passed_deadline_does_not_fail_what_only_has_old_pods_left() -> None:
    """A reverted rollout keeps the condition until the first old pod goes."""
    assert state(deployment(replicas=4, conditions=[EXCEEDED])) is State.IN_PROGRESS
    assert state(deployment(replicas=4, availableReplicas=2, conditions=[EXCEEDED])) is State.FAILED


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-01-01T00:10:01Z", State.IN_PROGRESS),
        ("2026-01-01T00:10:00Z", State.FAILED),
        ("2026-01-01T00:09:59Z", State.FAILED),
        ("yesterday", State.FAILED),
    ],
)
def test_a_passed_deadline_older_than_the_last_write_is_in_progress(written: str, expected: State) -> None:
    exceeded = {**EXCEEDED, "lastUpdateTime": "2026-01-01T00:10:00Z"}
    obj = deployment(updatedReplicas=1, conditions=[exceeded])
    obj["metadata"]["managedFields"] = [{"manager": "m", "operation": "Apply", "time": written}]
    assert state(obj) is expected


def test_a_write_of_the_status_is_no_write_of_the_object() -> None:
    exceeded = {**EXCEEDED, "lastUpdateTime": "2026-01-01T00:10:00Z"}
    obj = deployment(updatedReplicas=1, conditions=[exceeded])
    obj["metadata"]["managedFields"] = [{"subresource": "status", "time": "2026-01-01T00:11:00Z"}]
    assert state(obj) is State.FAILED


@pytest.mark.parametrize("status", [{}, {"observedGeneration": 1}, {"updatedReplicas": 0}])
def test_paused_is_blocked_at_once_and_says_what_to_do(status: dict[str, Any]) -> None:
    verdict = judged(deployment({"paused": True}, **status))
    assert verdict.state is State.BLOCKED
    assert "spec.paused" in verdict.reason
    assert verdict.waiting_for is None


def test_not_paused_is_not_blocked() -> None:
    assert state(deployment({"paused": False})) is State.CURRENT


def test_scaled_to_zero_and_observed_is_ready_whatever_its_conditions_say() -> None:
    none = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"))
    assert state(deployment({"replicas": 0}, **none, conditions=[STARTED])) is State.CURRENT


def test_scaled_to_zero_with_a_pod_left_is_in_progress() -> None:
    assert state(deployment({"replicas": 0}, replicas=1, updatedReplicas=0)) is State.IN_PROGRESS


def test_scaled_to_zero_and_not_observed_is_in_progress() -> None:
    assert state(deployment({"replicas": 0}, observedGeneration=1, replicas=0)) is State.IN_PROGRESS


def test_more_unavailable_pods_than_allowed_never_make_zero_ready_pods_ready() -> None:
    spec = {"replicas": 1, "strategy": {"rollingUpdate": {"maxUnavailable": 1}}}
    one = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 0, "availableReplicas": 0}
    assert state(deployment(spec, **one)) is State.IN_PROGRESS


def test_pods_that_cannot_be_created_are_shown_and_not_terminal() -> None:
    failure = condition("ReplicaFailure", reason="FailedCreate", message="exceeded quota")
    verdict = judged(deployment(replicas=1, updatedReplicas=1, conditions=[failure, STARTED]))
    assert verdict.state is State.IN_PROGRESS
    assert "exceeded quota" in verdict.reason


@pytest.mark.parametrize("odd", ["3", "three", 2.5, -1, True, [], {}])
@pytest.mark.parametrize("key", ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"])
def test_an_odd_count_is_in_progress_and_named(key: str, odd: Any) -> None:
    verdict = judged(deployment(**{key: odd}))
    assert verdict.state is State.IN_PROGRESS
    assert f"status.{key}" in verdict.reason


@pytest.mark.parametrize("odd", ["text", 1, [], True])
@pytest.mark.parametrize("part", ["spec", "status"])
def test_an_odd_spec_or_status_is_in_progress(part: str, odd: Any) -> None:
    assert state({**deployment(), part: odd}) is State.IN_PROGRESS
