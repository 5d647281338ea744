"""The classes that a set's manifests are worked through in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Object = dict[str, Any]

# operator: install.go:isClusterScoped, by name alone; it knows cluster roles' bindings too but puts them elsewhere.
_CLUSTER_SCOPED = frozenset(
    (
        *("componentstatus", "namespace", "node", "persistentvolume", "apiservice", "meshpolicy"),
        *("mutatingwebhookconfiguration", "validatingwebhookconfiguration"),
        *("tokenreview", "selfsubjectaccessreview", "selfsubjectrulesreview", "subjectaccessreview"),
        *("certificatesigningrequest", "clusterrole", "priorityclass", "storageclass", "volumeattachment"),
    )
)


@dataclass
class Classes:
    """Inside each class the order is the manifests'; duplicates stay."""

    definitions: list[Object] = field(default_factory=list)
    cluster_scoped: list[Object] = field(default_factory=list)
    namespace_scoped: list[Object] = field(default_factory=list)
    jobs: list[Object] = field(default_factory=list)
    deployments: list[Object] = field(default_factory=list)
    stateful_sets: list[Object] = field(default_factory=list)


def classes_of(manifests: Iterable[Object]) -> Classes:
    """operator: install.go:NewInstaller. Every kind that it does not know counts as namespaced."""
    classes = Classes()
    by_kind = {
        "Job": classes.jobs,
        "Deployment": classes.deployments,
        "StatefulSet": classes.stateful_sets,
        "CustomResourceDefinition": classes.definitions,
    }
    for manifest in manifests:
        kind = manifest["kind"]
        scoped = classes.cluster_scoped if kind.lower() in _CLUSTER_SCOPED else classes.namespace_scoped
        by_kind.get(kind, scoped).append(manifest)
    return classes
