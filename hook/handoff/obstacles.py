"""Obstacles: what is not ready, why, and since when."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hook.readiness.state import State

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Obstacle:
    """`since` in seconds since the epoch; `cause` is the first thing that is wrong with a workload's pods."""

    subject: str
    state: State
    reason: str
    since: float
    waiting_for: str | None = None
    cause: str | None = None

    def __str__(self) -> str:
        """One line, of which only the last part changes as time goes by."""
        return f"{self.line} (for {max(0.0, time.time() - self.since):.0f} s)"

    @property
    def line(self) -> str:
        """Object, state, reason, what it waits for, cause."""
        line = f"{self.subject}: {self.state}: {self.reason}"
        if self.waiting_for:
            line += f"; waiting for {self.waiting_for}"
        return f"{line}; {self.cause}" if self.cause else line

    def as_object(self) -> dict[str, Any]:
        """As the result has it."""
        return {
            "object": self.subject,
            "state": self.state.value,
            "reason": self.reason,
            "waitingFor": self.waiting_for,
            "since": _instant(self.since),
            "cause": self.cause,
        }

    @property
    def brief(self) -> str:
        """As short as it can be understood, the same for as long as nothing changes."""
        return f"{self.subject}: {self.reason}{f'; {self.cause}' if self.cause else ''}"

    @property
    def dated(self) -> str:
        """`brief`, and since when."""
        return f"{self.brief} (since {_instant(self.since)})"


def summary(obstacles: Iterable[Obstacle], *, dated: bool = False) -> str:
    """The first few in one line, and how many there are besides."""
    every = list(obstacles)
    told = "; ".join(one.dated if dated else one.brief for one in every[:_SHOWN])
    return f"{told}; and {len(every) - _SHOWN} more" if len(every) > _SHOWN else told


def _instant(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
