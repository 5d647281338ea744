"""Kinds without a rule of their own: the conditions that controllers agree on."""

from __future__ import annotations

from typing import Final

from hook.readiness.kinds import is_built_in
from hook.readiness.state import Readiness, current, failed, in_progress
from hook.readiness.subject import Subject

GRACE_SECONDS: Final = 60.0
"""How long a custom resource may go without a status before it is taken to get none."""


def agreed_conditions(subject: Subject) -> Readiness | None:
    """Stalled, then Reconciling, whatever their order in the list and whatever Ready says (kstatus)."""
    conditions = subject.conditions
    if stalled := conditions.first_true("Stalled"):
        return failed(f"its controller has given up: {stalled.message or stalled.reason or 'Stalled'}")
    if reconciling := conditions.first_true("Reconciling"):
        why = reconciling.message or reconciling.reason or "Reconciling"
        return in_progress(f"its controller is at work: {why}", "condition Reconciling to end")
    return None


def generic(subject: Subject) -> Readiness:
    """Ready is True. A custom resource whose status is still empty is given a grace period first.

    kstatus calls an object without a status ready at once, which is too early: its controller may not have seen
    it yet.
    """
    conditions = subject.conditions
    ready = conditions.find("Ready")
    if ready is not None:
        if ready.status == "True":
            return current("condition Ready is True")
        return in_progress(str(ready), "condition Ready")
    if conditions.stale:
        types = ", ".join(sorted(set(conditions.stale)))
        return in_progress(f"its conditions ({types}) are of an older generation", "conditions of this generation")
    if is_built_in(subject.kind):
        return current("it exists")
    if conditions.items:
        types = ", ".join(sorted({c.type for c in conditions.items}))
        return current("no condition speaks against it", f"none of its conditions ({types}) is Ready")
    empty = not any(
        value not in (None, "", [], {}) for key, value in subject.status.items() if key != "observedGeneration"
    )
    if not empty:
        return current("it has a status", "its status has no conditions that tell whether it is ready")
    if subject.related.has_status(subject.kind, subject.version) is False:
        return current("its kind has no status")
    age = subject.related.age_seconds(subject.obj)
    if age is not None and age >= GRACE_SECONDS:
        return current("it exists", f"no controller has written a status in {GRACE_SECONDS:.0f} s")
    return in_progress(
        "no controller has written a status yet",
        "a status",
        f"taken to be ready if none is written in {GRACE_SECONDS:.0f} s",
    )
