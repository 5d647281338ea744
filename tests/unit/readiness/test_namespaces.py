"""When a Namespace is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.readiness.state import State
from tests.unit.readiness.samples import live, state


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("Active", State.CURRENT),
        ("Terminating", State.TERMINATING),
        (None, State.IN_PROGRESS),
        ("", State.IN_PROGRESS),
        ("active", State.IN_PROGRESS),
        (["Active"], State.IN_PROGRESS),
    ],
)
def test_the_phase_decides(phase: Any, expected: State) -> None:
    assert state(live("v1", "Namespace", spec={}, status={"phase": phase})) is expected


def test_a_deletion_wins_over_an_active_phase() -> None:
    deleted = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert state(live("v1", "Namespace", metadata=deleted, status={"phase": "Active"})) is State.TERMINATING
