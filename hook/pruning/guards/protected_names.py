"""Namespaces that never go: those of the cluster itself, and the one that holds the record."""

from __future__ import annotations

from hook.manifests.identity import Kind
from hook.pruning.action import Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.guards.retention import kept
from hook.pruning.reading import Present

SYSTEM_NAMESPACES = frozenset({"default", "kube-node-lease", "kube-public", "kube-system"})


def protected_names(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    if candidate.identity.of_kind != Kind("", "Namespace"):
        return None
    name = candidate.identity.name
    if name in SYSTEM_NAMESPACES:
        return kept(candidate, live, context, "a namespace of the cluster itself is never pruned")
    if name == context.namespace:
        return kept(candidate, live, context, "the namespace that holds the sets is never pruned")
    return None
