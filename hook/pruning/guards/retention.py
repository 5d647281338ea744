"""How something is kept by rule: it stays a candidate, or is given up where the component goes entirely."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def kept(candidate: Candidate, live: Present, context: PruneContext, why: str) -> Decision:
    return Decision(
        Action.GIVE_UP if context.removing else Action.RETAIN,
        candidate.identity,
        why,
        version=live.version,
        uid=live.metadata["uid"],
        resource_version=live.metadata["resourceVersion"],
        by_rule=True,
    )
