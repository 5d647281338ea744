"""Kinds whose deletion takes other people's data with it stay, unless a run is told to prune that kind."""

from __future__ import annotations

from hook.manifests.identity import Kind
from hook.pruning.action import Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.guards.retention import kept
from hook.pruning.reading import Present

KEPT_KINDS = {
    Kind("", "Namespace"): "everything in it would go with it",
    Kind("", "PersistentVolumeClaim"): "its data may go with it",
    Kind("apiextensions.k8s.io", "CustomResourceDefinition"): "all its custom resources would go with it",
}


def kept_kinds(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    kind = candidate.identity.of_kind
    if kind not in KEPT_KINDS or kind.kind in context.prune_kinds:
        return None
    why = f"{KEPT_KINDS[kind]}; --prune-kind {kind.kind} allows it"
    return kept(candidate, live, context, f"a {kind.kind} is not pruned by default ({why})")
