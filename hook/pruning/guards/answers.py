"""Reads that found no object: gone, unknown and forbidden are told apart, and only gone leaves the record."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Absent, ApiRemoved, Forbidden, LiveRead, Unknown


def gone(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision | None:
    match live:
        case Absent():
            return Decision(Action.GONE, candidate.identity, "gone")
        case ApiRemoved():
            return Decision(Action.GONE, candidate.identity, "gone: the cluster no longer has its API")
        case _:
            return None


def unknown(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision | None:
    if not isinstance(live, Unknown):
        return None
    return Decision(Action.UNKNOWN, candidate.identity, f"unknown: {live.why}", version=candidate.version)


def forbidden(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision | None:
    if not isinstance(live, Forbidden):
        return None
    return Decision(Action.FORBIDDEN, candidate.identity, f"forbidden: {live.why}", version=candidate.version)
