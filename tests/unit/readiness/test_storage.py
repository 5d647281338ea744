"""When a PersistentVolumeClaim is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.state import State
from tests.unit.readiness.samples import judged, live, state


def claim(phase: Any, **spec: Any) -> Object:
    return live("v1", "PersistentVolumeClaim", spec=spec, status={"phase": phase})


def test_bound_is_ready() -> None:
    assert state(claim("Bound")) is State.CURRENT


def test_lost_is_failed() -> None:
    assert state(claim("Lost")) is State.FAILED


@pytest.mark.parametrize("phase", [None, "", "Strange", 5])
def test_any_other_phase_is_in_progress(phase: Any) -> None:
    assert state(claim(phase), mode="WaitForFirstConsumer", mounted=False) is State.IN_PROGRESS


def test_pending_with_immediate_binding_is_in_progress() -> None:
    verdict = judged(claim("Pending"), mode="Immediate", mounted=False)
    assert (verdict.state, verdict.warning) == (State.IN_PROGRESS, None)


def test_pending_with_an_unknown_class_is_in_progress_with_a_warning_that_names_it() -> None:
    verdict = judged(claim("Pending", storageClassName="fast"), mode=None, mounted=False)
    assert verdict.state is State.IN_PROGRESS
    assert "StorageClass fast" in (verdict.warning or "")


@pytest.mark.parametrize(
    ("mounted", "expected"), [(True, State.IN_PROGRESS), (None, State.IN_PROGRESS), (False, State.CURRENT)]
)
def test_waiting_for_the_first_consumer_is_ready_only_if_nothing_mounts_it(
    mounted: bool | None, expected: State
) -> None:
    verdict = judged(claim("Pending"), mode="WaitForFirstConsumer", mounted=mounted)
    assert verdict.state is expected
    assert verdict.warning


def test_a_claim_without_a_class_waits_for_a_volume_whatever_the_default_class_does() -> None:
    assert state(claim("Pending", storageClassName=""), mode="WaitForFirstConsumer", mounted=False) is State.IN_PROGRESS
