"""A successor whose uid could not be read may be this very object under another API group or kind.

Two identities of one stored object always share namespace and name, so other candidates are not concerned.
"""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def unread(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    place = (candidate.identity.namespace, candidate.identity.name)
    for successor in sorted(context.successors_unread):
        if (successor.namespace, successor.name) == place:
            return Decision(
                Action.UNKNOWN,
                candidate.identity,
                f"{successor} could not be read and may be the same object",
                version=live.version,
            )
    return None
