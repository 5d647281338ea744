"""What is being deleted already gets no second DELETE."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def terminating(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    since = live.metadata.get("deletionTimestamp")
    if not since:
        return None
    return Decision(
        Action.WAIT,
        candidate.identity,
        f"being deleted since {since}",
        version=live.version,
        uid=live.metadata["uid"],
    )
