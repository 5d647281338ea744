"""What a successor lists is not obsolete, whatever its live state. The version is no part of that."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import LiveRead


def desired(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision | None:
    if candidate.identity not in context.successors:
        return None
    return Decision(Action.KEEP, candidate.identity, "a successor lists it")
