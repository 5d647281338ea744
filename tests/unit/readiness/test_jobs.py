"""When a Job is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.assess import assess
from hook.readiness.related import Unrelated
from hook.readiness.state import State
from tests.unit.readiness.samples import condition, judged, live, state


def job(*conditions: Object, suspend: Any = None, **status: Any) -> Object:
    return live("batch/v1", "Job", spec={"suspend": suspend}, status={"conditions": list(conditions), **status})


def test_complete_is_ready() -> None:
    assert state(job(condition("SuccessCriteriaMet"), condition("Complete"))) is State.CURRENT


def test_failed_is_failed_and_tells_why() -> None:
    verdict = judged(job(condition("Failed", reason="BackoffLimitExceeded", message="3 pods have failed")))
    assert verdict.state is State.FAILED
    assert "3 pods have failed" in verdict.reason


@pytest.mark.parametrize("status", ["False", "Unknown", None, True])
@pytest.mark.parametrize("type_", ["Failed", "Complete"])
def test_a_condition_that_is_not_true_does_not_end_it(type_: str, status: Any) -> None:
    assert state(job(condition(type_, status), active=1)) is State.IN_PROGRESS


@pytest.mark.parametrize("deciding", ["FailureTarget", "SuccessCriteriaMet"])
def test_a_decided_job_whose_last_pods_still_run_is_in_progress(deciding: str) -> None:
    assert state(job(condition(deciding), startTime="2026-01-01T00:00:00Z")) is State.IN_PROGRESS


def test_a_running_job_is_in_progress_and_tells_its_counts() -> None:
    verdict = judged(job(startTime="2026-01-01T00:00:00Z", active=1, failed=2))
    assert verdict.state is State.IN_PROGRESS
    assert "1 active, 0 succeeded, 2 failed" in verdict.reason


def test_without_a_status_it_is_in_progress() -> None:
    assert state(live("batch/v1", "Job", spec={})) is State.IN_PROGRESS


def test_suspended_by_its_manifest_is_ready_with_a_warning() -> None:
    live_job = job(condition("Suspended"), suspend=True)
    verdict = assess(live_job, Unrelated(), manifest=job(suspend=True))
    assert verdict.state is State.CURRENT
    assert verdict.warning is not None


@pytest.mark.parametrize("meant", [None, False])
def test_suspended_by_somebody_else_is_in_progress(meant: bool | None) -> None:
    live_job = job(condition("Suspended"), suspend=True)
    assert assess(live_job, Unrelated(), manifest=job(suspend=meant)).state is State.IN_PROGRESS


def test_resumed_though_its_manifest_suspends_it_is_waited_for() -> None:
    """A queue controller resumes Jobs that are created suspended."""
    assert assess(job(suspend=False, active=1), Unrelated(), manifest=job(suspend=True)).state is State.IN_PROGRESS


def test_complete_and_suspended_is_ready_without_a_warning() -> None:
    verdict = judged(job(condition("Complete"), suspend=True))
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


def test_a_cron_job_is_ready_by_existing() -> None:
    assert state(live("batch/v1", "CronJob", spec={"suspend": True}, status={})) is State.CURRENT
