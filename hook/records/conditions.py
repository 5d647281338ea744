"""Conditions of a set, written so that kstatus, Argo CD and people read the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hook.manifests.identity import Object


@dataclass(frozen=True, slots=True)
class Condition:
    type: str
    status: str  # True, False or Unknown
    reason: str
    message: str = ""


def applying() -> tuple[Condition, ...]:
    return (
        Condition("Ready", "Unknown", "Applying", "the resources are being applied"),
        Condition("Reconciling", "True", "Applying"),
        Condition("Applied", "False", "Applying"),
    )


def waiting(message: str, *, applied: bool = True) -> tuple[Condition, ...]:
    return (
        Condition("Ready", "False", "Waiting", message),
        Condition("Reconciling", "True", "Waiting", message),
        Condition("Applied", "True", "Applied") if applied else Condition("Applied", "False", "Applying"),
    )


def interrupted(reason: str, message: str, *, applied: bool) -> tuple[Condition, ...]:
    return (
        Condition("Ready", "False", reason, message),
        Condition("Reconciling", "True", reason, message),
        Condition("Applied", "True", "Applied") if applied else Condition("Applied", "False", reason),
    )


def ready() -> tuple[Condition, ...]:
    return (
        Condition("Ready", "True", "Ready", "every resource is ready"),
        Condition("Applied", "True", "Applied"),
    )


def stalled(reason: str, message: str, applied: bool) -> tuple[Condition, ...]:
    return (
        Condition("Ready", "False", reason, message),
        Condition("Stalled", "True", reason, message),
        Condition("Applied", "True" if applied else "False", "Applied" if applied else reason),
    )


def retired(by: str) -> tuple[Condition, ...]:
    return (
        Condition("Ready", "False", "Retired", f"retired by {by}"),
        Condition("Reconciling", "True", "Pruning"),
        Condition("Retired", "True", "Retired", f"retired by {by}"),
    )


def merged(previous: Any, wanted: tuple[Condition, ...], generation: int, now: str) -> list[Object]:
    """The condition list to write: a condition whose status did not change keeps its transition time.

    Conditions that are not wanted are dropped: kstatus reads a left-over Reconciling or Stalled as true news.
    """
    before = (
        {item.get("type"): item for item in previous if isinstance(item, Mapping)} if isinstance(previous, list) else {}
    )
    written = []
    for condition in wanted:
        old = before.get(condition.type) or {}
        same = old.get("status") == condition.status and old.get("lastTransitionTime")
        written.append(
            {
                "type": condition.type,
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message[:1024],
                "observedGeneration": generation,
                "lastTransitionTime": old["lastTransitionTime"] if same else now,
            }
        )
    return written
