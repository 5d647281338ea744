"""Builders for the small worlds of the pruning tests: component `shop`, its sets in namespace `sets`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.generations.marks import owner_label
from hook.manifests.identity import Identity
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.decision import Decision, decide
from hook.pruning.reading import LiveRead, Present

COMPONENT, NAMESPACE = "shop", "sets"
OURS = {owner_label(COMPONENT): NAMESPACE}

CONFIG = Identity("", "ConfigMap", "x", "conf")
NS = Identity("", "Namespace", "", "team-a")
CRD = Identity("apiextensions.k8s.io", "CustomResourceDefinition", "", "gears.example.org")
PVC = Identity("", "PersistentVolumeClaim", "x", "data")
DEPLOYMENT = Identity("apps", "Deployment", "x", "web")


def candidate(identity: Identity = CONFIG, **more: Any) -> Candidate:
    return Candidate(identity, **{"version": "v1", "uid": "u-1", "listed_by": ("shop-static-old",), **more})


def present(
    identity: Identity = CONFIG,
    *,
    uid: str = "u-1",
    labels: Mapping[str, str] | None = None,
    version: str = "v1",
    **more: Any,
) -> Present:
    metadata: dict[str, Any] = {
        "name": identity.name,
        "uid": uid,
        "resourceVersion": "7",
        "labels": dict(OURS if labels is None else labels),
        **more,
    }
    if identity.namespace:
        metadata["namespace"] = identity.namespace
    return Present(metadata, version)


def context(**more: Any) -> PruneContext:
    return PruneContext(COMPONENT, NAMESPACE, **more)


def decided(identity: Identity = CONFIG, live: LiveRead | None = None, **more: Any) -> Decision:
    """The decision about `identity`, live with our mark alone unless `live` says otherwise."""
    return decide(candidate(identity), live or present(identity), context(**more))
