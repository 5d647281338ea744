"""What a run would do, told before it is done."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# (title for people, key of the JSON), in the order in which a run does it.
_LISTS = (
    ("create", "create"),
    ("change", "change"),
    ("delete and create anew", "recreate"),
    ("adopt", "adopt"),
    ("share", "share"),
    ("kept as it is", "kept"),
    ("left out of the input", "leftOut"),
    ("fields of other managers", "conflicts"),
    ("carried along until the old pods are gone", "carried"),
    ("retire, once the new generation is Ready", "retire"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """`lists`: by key, (subject, why) pairs. `prune`: (subject, action, reason) of each candidate, and `prune_lines`
    the same for people. `changes`: whether a run would write anything but the Lease."""

    component: str
    generation: str
    version: str
    changes: bool
    unchanged: int
    lists: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    prune: Sequence[tuple[str, str, str]] = ()
    prune_lines: Sequence[str] = ()
    warnings: Sequence[tuple[str, str]] = ()

    def as_json(self) -> str:
        """The documented JSON of a plan (README, "Plan")."""
        lists = {
            key: [{"object": subject, "why": why} for subject, why in self.lists.get(key, ())] for _, key in _LISTS
        }
        told: dict[str, Any] = {
            "component": self.component,
            "generation": self.generation,
            "version": self.version,
            "changes": self.changes,
            "unchanged": self.unchanged,
            **lists,
            "prune": [{"object": subject, "action": action, "why": why} for subject, action, why in self.prune],
            "warnings": [{"object": subject, "why": why} for subject, why in self.warnings],
        }
        return json.dumps(told, indent=2, ensure_ascii=False)

    def as_text(self) -> str:
        """Lines for people: what happens first stands first."""
        version = f" {self.version}" if self.version else ""
        verdict = "there are changes" if self.changes else "nothing to do"
        lines = [f"{self.component}{version} (generation {self.generation}): {verdict}; {self.unchanged} unchanged"]
        for title, key in _LISTS:
            lines += _section(title, self.lists.get(key, ()))
        if self.prune_lines:
            lines.append("prune, once the old generation is retired:")
            lines += [f"  {line}" for line in self.prune_lines]
        return "\n".join(lines + _section("warnings", self.warnings))


def _section(title: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{title}:", *(f"  {subject}{': ' + why if why else ''}" for subject, why in pairs)] if pairs else []
