"""Pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.readiness.causes import cause_within, container_cause
from hook.readiness.conditions import one_line
from hook.readiness.fields import flag, mappings, text
from hook.readiness.state import Readiness, current, failed, in_progress
from hook.readiness.subject import Subject


def pod(subject: Subject) -> Readiness:
    """Succeeded or Ready is ready. Failed is failed, unless a Job owns the Pod and decides itself.

    A crash loop, an image that cannot be pulled and a Pod that fits on no node are reasons to show: each can
    heal by itself, so none is terminal.
    """
    status = subject.status
    phase = text(status, "phase", "status")
    if phase == "Succeeded":
        return current("it has succeeded")
    if phase == "Failed":
        why = one_line(": ".join(w for w in (text(status, "reason"), text(status, "message")) if w))
        ended = "it has failed" + (f" ({why})" if why else "")
        if job := _owning_job(subject.metadata):
            return current(f"{ended}; Job {job}, which owns it, decides what that means")
        return failed(ended)
    if phase == "Running" and subject.conditions.is_true("Ready"):
        return current("it is ready")
    stuck = container_cause(status)
    reason = cause_within(subject.obj) or f"it is {phase.lower() or 'not reported yet'}"
    return in_progress(
        reason,
        "condition Ready",
        f"{stuck}: this can heal by itself, so it is waited for" if stuck else None,
    )


def _owning_job(metadata: Mapping[str, Any]) -> str | None:
    for owner in mappings(metadata, "ownerReferences", "metadata"):
        of_batch = text(owner, "apiVersion").startswith("batch/")
        if of_batch and text(owner, "kind") == "Job" and flag(owner, "controller"):
            return text(owner, "name")
    return None
