"""The verdict on one object."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The states of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus), and `Blocked`."""

    CURRENT = "Current"
    """Ready: the desired state is observed and reached."""
    IN_PROGRESS = "InProgress"
    """Not ready yet; waiting can help."""
    FAILED = "Failed"
    """Failed for good; only another manifest helps."""
    BLOCKED = "Blocked"
    """Will never get on until somebody acts."""
    TERMINATING = "Terminating"
    """Being deleted, however complete it looks."""
    UNKNOWN = "Unknown"
    """No readable object: neither ready nor gone."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """A state and why.

    `reason` is one line for people; `waiting_for` names what has to happen next (None when nothing has to, or
    nothing can); `warning` is set where the verdict rests on patience or on something that could not be looked at.
    """

    state: State
    reason: str
    waiting_for: str | None = None
    warning: str | None = None

    @property
    def ready(self) -> bool:
        return self.state is State.CURRENT

    @property
    def final(self) -> bool:
        """Waiting longer cannot help."""
        return self.state in (State.FAILED, State.BLOCKED)


def current(reason: str, warning: str | None = None) -> Readiness:
    return Readiness(State.CURRENT, reason, None, warning)


def in_progress(reason: str, waiting_for: str, warning: str | None = None) -> Readiness:
    return Readiness(State.IN_PROGRESS, reason, waiting_for, warning)


def failed(reason: str) -> Readiness:
    return Readiness(State.FAILED, reason)


def joined(*warnings: str | None) -> str | None:
    """Several warnings as one; None where there is none."""
    return "; ".join(dict.fromkeys(w for w in warnings if w)) or None
