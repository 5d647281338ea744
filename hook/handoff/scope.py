"""Scope: which kinds are namespaced, as the cluster says, the input's own CRDs, or Kubernetes itself."""

from __future__ import annotations

from hook.generations.generation import Generation
from hook.handoff.session import Session
from hook.manifests.identity import Kind
from hook.manifests.scope import builtin_scope, scope_from


def placed(session: Session, generation: Generation) -> Generation:
    """The generation with its target namespace filled in where a kind is namespaced."""
    coming = scope_from(manifest.obj for manifest in generation.manifests)

    def namespaced(kind: Kind) -> bool | None:
        found = session.type_of(kind)
        if found is not None:
            return found.namespaced
        return coming.get(kind, builtin_scope(kind))

    return generation.placed(namespaced)


def placed_offline(generation: Generation) -> Generation:
    """The same as far as it can be known without a cluster: built-in kinds, and kinds that the input defines."""
    coming = scope_from(manifest.obj for manifest in generation.manifests)
    return generation.placed(lambda kind: coming.get(kind, builtin_scope(kind)))
