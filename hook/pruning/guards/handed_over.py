"""Another component's mark beside ours: the object stays for that one, ours gives it up."""

from __future__ import annotations

from hook.generations.marks import owners
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def handed_over(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    others = sorted(set(owners(live.metadata)) - {context.component})
    if not others:
        return None
    return Decision(
        Action.GIVE_UP,
        candidate.identity,
        f"handed over to {', '.join(others)}",
        version=live.version,
        uid=live.metadata["uid"],
        resource_version=live.metadata["resourceVersion"],
    )
