"""Conditions in a status: which count, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hook.readiness.fields import generation, mapping, mappings, text

_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Condition:
    """One entry of status.conditions."""

    type: str
    status: str
    reason: str
    message: str
    updated: str

    def __str__(self) -> str:
        """`Ready is False (NotYet: waiting for x)`"""
        why = ": ".join(part for part in (self.reason, self.message) if part)
        return f"{self.type} is {self.status or 'not set'}" + (f" ({why})" if why else "")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Those conditions that speak of the object's generation; `stale` are the types of the others."""

    items: tuple[Condition, ...]
    stale: tuple[str, ...]

    def find(self, type_: str) -> Condition | None:
        """The condition of that type; where it stands twice, one that is not True."""
        found = [c for c in self.items if c.type == type_]
        return next((c for c in found if c.status != "True"), found[0] if found else None)

    def is_true(self, type_: str) -> bool:
        """Whether there is such a condition and all of that type are True."""
        condition = self.find(type_)
        return condition is not None and condition.status == "True"

    def first_true(self, type_: str) -> Condition | None:
        """A condition of that type that is True: for those that say that something is wrong."""
        return next((c for c in self.items if c.type == type_ and c.status == "True"), None)


def conditions_of(obj: Mapping[str, Any]) -> Conditions:
    """The conditions of an object, without those that carry an older observedGeneration than it has now."""
    now = generation(mapping(obj, "metadata"), "generation", "metadata")
    items: list[Condition] = []
    stale: list[str] = []
    for entry in mappings(mapping(obj, "status"), "conditions", "status"):
        path = "status.conditions[]"
        type_ = text(entry, "type", path)
        seen = generation(entry, "observedGeneration", path)
        if now is not None and seen is not None and seen < now:
            stale.append(type_)
            continue
        items.append(
            Condition(
                type_,
                text(entry, "status", path),
                text(entry, "reason", path),
                one_line(text(entry, "message", path)),
                text(entry, "lastUpdateTime", path) or text(entry, "lastTransitionTime", path),
            )
        )
    return Conditions(tuple(items), tuple(stale))


def older_than_last_write(condition: Condition, obj: Mapping[str, Any]) -> bool:
    """Whether the condition was written before the object's last write but to its status.

    A reverted Deployment can carry the failure of the generation before, already with the new
    observedGeneration, until its controller sees the first progress. False where times are missing.
    """
    at = _instant(condition.updated)
    writes = (
        _instant(text(entry, "time"))
        for entry in mappings(mapping(obj, "metadata"), "managedFields", "metadata")
        if not text(entry, "subresource")
    )
    return at is not None and any(at < write for write in writes if write)


def one_line(words: str) -> str:
    """Text from the cluster, fit for one line of a terminal: no line breaks, no control characters, not too long."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def _instant(time: str) -> datetime | None:
    try:
        instant = datetime.fromisoformat(time)
    except ValueError:
        return None
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)
