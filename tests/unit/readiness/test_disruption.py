"""When a PodDisruptionBudget is ready."""

from __future__ import annotations

import pytest

from hook.readiness.state import State
from tests.unit.readiness.samples import condition, live, state


@pytest.mark.parametrize(
    ("observed", "expected"), [(None, State.IN_PROGRESS), (1, State.IN_PROGRESS), (2, State.CURRENT)]
)
def test_it_has_to_be_observed(observed: int | None, expected: State) -> None:
    assert state(live("policy/v1", "PodDisruptionBudget", status={"observedGeneration": observed})) is expected


def test_allowing_no_disruption_is_ready() -> None:
    status = {"observedGeneration": 2, "conditions": [condition("DisruptionAllowed", "False")]}
    assert state(live("policy/v1", "PodDisruptionBudget", status=status)) is State.CURRENT
