"""Another tool applied the object since and marked it as its own: it stays for that one, ours gives it up.

Marks of other tools may stand in our own manifests too, e.g. exported ones. So a mark counts only where its tool has
written to the object as well.
"""

from __future__ import annotations

from hook.generations.foreign_owners import ForeignOwner, foreign_owner
from hook.manifests.identity import Object
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def claimed(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    identity = candidate.identity
    owner = foreign_owner(live.metadata, identity)
    if owner is None or not _has_written(owner, live.metadata):
        return None
    return Decision(
        Action.GIVE_UP,
        identity,
        f"handed over to the {owner}",
        version=live.version,
        uid=live.metadata["uid"],
        resource_version=live.metadata["resourceVersion"],
    )


def _has_written(owner: ForeignOwner, metadata: Object) -> bool:
    return any(entry.get("manager") in owner.managers for entry in metadata.get("managedFields") or ())
