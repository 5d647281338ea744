"""Namespaces."""

from __future__ import annotations

from hook.readiness.fields import text
from hook.readiness.state import Readiness, State, current, in_progress
from hook.readiness.subject import Subject


def namespace(subject: Subject) -> Readiness:
    """Active is ready; the phase Terminating alone is terminating."""
    phase = text(subject.status, "phase", "status")
    if phase == "Active":
        return current("it is active")
    if phase == "Terminating":
        return Readiness(State.TERMINATING, "it is being deleted", "its deletion")
    return in_progress(f"its phase is {phase or 'not set'}", "phase Active")
