"""An object without our mark, or with a controller, is somebody else's, whatever our record says.

Unless whoever kept the retiring set's resources keeps it: an operator may have made it before there was any mark.
"""

from __future__ import annotations

from hook.generations.marks import owned_by, owner_label, owners
from hook.generations.predecessors import controller_of
from hook.manifests.identity import Object
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def foreign(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    why = f"{lister} lists it" if (lister := context.elsewhere.get(candidate.identity)) else ""
    if not why and context.predecessors.keep(live.metadata):
        return None
    why = why or _controller(live.metadata)
    if not why and not owned_by(live.metadata, context.component, context.namespace):
        why = _without_mark(live.metadata, context)
    if not why:
        return None
    return Decision(Action.FOREIGN, candidate.identity, f"foreign: {why}", version=live.version)


def _controller(metadata: Object) -> str:
    owner = controller_of(metadata)
    return f"controlled by {owner.get('kind')} {owner.get('name')}" if owner else ""


def _without_mark(metadata: Object, context: PruneContext) -> str:
    marks = owners(metadata)
    namespace = marks.pop(context.component, None)
    if namespace is not None:
        return f"owned by the component {context.component} in namespace {namespace}"
    if marks:
        named = ", ".join(f"{component} in namespace {place}" for component, place in sorted(marks.items()))
        return f"owned by the component {named}, no longer by {context.component}"
    return f"it does not carry the label {owner_label(context.component)} (taken off, or the object was replaced)"
