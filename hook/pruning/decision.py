"""One candidate, one live read, one decision: the first rule that fits."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.guards.answers import forbidden, gone, unknown
from hook.pruning.guards.claimed import claimed
from hook.pruning.guards.containers import in_use, unknown_groups
from hook.pruning.guards.desired import desired
from hook.pruning.guards.foreign import foreign
from hook.pruning.guards.guard import Guard, PresentGuard
from hook.pruning.guards.handed_over import handed_over
from hook.pruning.guards.keep_marks import keep_marks
from hook.pruning.guards.kept_kinds import kept_kinds
from hook.pruning.guards.odd import odd
from hook.pruning.guards.protected_names import protected_names
from hook.pruning.guards.renamed import renamed
from hook.pruning.guards.terminating import terminating
from hook.pruning.guards.unread import unread
from hook.pruning.order import propagation_of
from hook.pruning.reading import LiveRead, Present

# The order is part of the rules: what a successor holds comes before all else, owners before what is kept by rule.
GUARDS: tuple[Guard, ...] = (renamed, desired, gone, unknown, forbidden)
PRESENT_GUARDS: tuple[PresentGuard, ...] = (
    odd,
    unread,
    terminating,
    foreign,
    handed_over,
    claimed,
    protected_names,
    keep_marks,
    kept_kinds,
    unknown_groups,
    in_use,
)


def decide(candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision:
    """What is to be done about `candidate`, given one fresh read of it. Never raises.

    DELETE comes out only where every guard lets the object pass: it was read, carries our mark and nobody else's,
    no successor holds it, and no rule keeps it.
    """
    for guard in GUARDS:
        if decision := guard(candidate, live, context):
            return decision
    if not isinstance(live, Present):  # a reading that no guard knows is no proof of anything
        return Decision(Action.UNKNOWN, candidate.identity, f"unknown: {live!r}", version=candidate.version)
    for present_guard in PRESENT_GUARDS:
        if decision := present_guard(candidate, live, context):
            return decision
    return _delete(candidate, live)


def _delete(candidate: Candidate, live: Present) -> Decision:
    uid = live.metadata["uid"]
    notes: tuple[str, ...] = ()
    if candidate.uid and candidate.uid != uid:
        notes = (f"restored or recreated since it was recorded (uid {uid}, recorded {candidate.uid})",)
    return Decision(
        Action.DELETE,
        candidate.identity,
        "obsolete, and owned by this component alone",
        version=live.version,
        uid=uid,
        resource_version=live.metadata["resourceVersion"],
        propagation=propagation_of(candidate.identity.of_kind),
        notes=notes,
    )


__all__ = ["Action", "Decision", "decide"]
