"""A Namespace or CRD that may go goes only when it is known that nobody else's objects go with it."""

from __future__ import annotations

from collections.abc import Sequence

from hook.manifests.identity import Identity, Kind
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.guards.retention import kept
from hook.pruning.reading import Present

CONTAINERS = frozenset({Kind("", "Namespace"), Kind("apiextensions.k8s.io", "CustomResourceDefinition")})
_SHOWN = 5


def unknown_groups(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    """While any needed API group is unknown, no container goes: its objects cannot be seen."""
    if candidate.identity.of_kind not in CONTAINERS or not context.unknown_groups:
        return None
    groups = ", ".join(sorted(context.unknown_groups))
    why = f"API groups that cannot be read now may have objects in it: {groups}"
    return Decision(Action.UNKNOWN, candidate.identity, why, version=live.version)


def in_use(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    """What a LIST found inside decides; one that was not read counts as unknown."""
    if candidate.identity.of_kind not in CONTAINERS:
        return None
    contents = context.contents.get(candidate.identity)
    unknown = "its contents were not read" if contents is None else contents.unknown
    if contents is None or unknown:
        return Decision(Action.UNKNOWN, candidate.identity, unknown, version=live.version)
    if contents.blocking:
        return kept(candidate, live, context, f"in use by {_listed(contents.blocking)}")
    if contents.going:
        why = f"goes after {_listed(contents.going)}"
        return Decision(Action.DEFER, candidate.identity, why, version=live.version)
    return None


def _listed(identities: Sequence[Identity]) -> str:
    count = "1 object" if len(identities) == 1 else f"{len(identities)} objects"
    rest = ", ..." if len(identities) > _SHOWN else ""
    return f"{count}: {', '.join(str(each) for each in identities[:_SHOWN])}{rest}"
