"""PodDisruptionBudgets."""

from __future__ import annotations

from hook.readiness.state import Readiness, current
from hook.readiness.subject import Subject


def disruption_budget(subject: Subject) -> Readiness:
    """Ready once the controller has observed it; how many disruptions it allows is no matter of readiness."""
    return subject.unobserved(required=True) or current("it is observed")
