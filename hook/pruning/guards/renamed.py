"""The same stored object under another identity, e.g. an Ingress that moved from one API group to another."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import LiveRead, Present


def renamed(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision | None:
    if not isinstance(live, Present):
        return None
    uid = live.metadata.get("uid")
    successor = context.successor_uids.get(uid) if isinstance(uid, str) else None
    if successor is None:
        return None
    if successor == candidate.identity:
        return Decision(Action.KEEP, candidate.identity, "a successor holds it")
    return Decision(
        Action.RENAMED,
        candidate.identity,
        f"the same object (uid {uid}) is now {successor}",
        version=live.version,
        successor=successor,
    )
