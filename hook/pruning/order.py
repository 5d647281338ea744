"""In which order obsolete resources go, and how their dependents go with them.

Admission first, so that no webhook whose server is about to go refuses the rest; then what controllers have to clean
up after, while these controllers still run; then the controllers; last what could hold others' objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from hook.manifests.identity import Identity, Kind
from hook.manifests.scope import KUBERNETES_GROUPS

_WEBHOOKS = frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
_WORKLOADS = frozenset(
    {
        Kind("", "Pod"),
        Kind("", "ReplicationController"),
        Kind("apps", "DaemonSet"),
        Kind("apps", "Deployment"),
        Kind("apps", "ReplicaSet"),
        Kind("apps", "StatefulSet"),
        Kind("batch", "CronJob"),
        Kind("batch", "Job"),
    }
)
# What others of the same phase point to: a binding to its Role, a claim to its volume.
_REFERRED_TO = frozenset(
    {
        Kind("", "PersistentVolume"),
        Kind("", "ServiceAccount"),
        Kind("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
        Kind("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        Kind("networking.k8s.io", "IngressClass"),
        Kind("node.k8s.io", "RuntimeClass"),
        Kind("rbac.authorization.k8s.io", "ClusterRole"),
        Kind("rbac.authorization.k8s.io", "Role"),
        Kind("scheduling.k8s.io", "PriorityClass"),
        Kind("storage.k8s.io", "StorageClass"),
    }
)


class PrunePhase(IntEnum):
    """Each phase starts when the one before is gone; the exact apply stands between WORKLOADS and REST."""

    WEBHOOKS = 1
    CUSTOM_RESOURCES = 2  # and what an APIService serves
    API_SERVICES = 3
    WORKLOADS = 4
    REST = 5
    CRDS = 6
    NAMESPACES = 7


@dataclass(frozen=True, slots=True)
class Stage:
    """Resources that may be deleted at the same time, sorted."""

    phase: PrunePhase
    members: tuple[Identity, ...]


def phase_of(identity: Identity) -> PrunePhase:
    match identity.of_kind:
        case Kind("admissionregistration.k8s.io", name) if name in _WEBHOOKS:
            return PrunePhase.WEBHOOKS
        case Kind("apiregistration.k8s.io", "APIService"):
            return PrunePhase.API_SERVICES
        case Kind("apiextensions.k8s.io", "CustomResourceDefinition"):
            return PrunePhase.CRDS
        case Kind("", "Namespace"):
            return PrunePhase.NAMESPACES
        case kind if kind in _WORKLOADS:
            return PrunePhase.WORKLOADS
        case Kind(group, _) if group not in KUBERNETES_GROUPS:
            return PrunePhase.CUSTOM_RESOURCES
    return PrunePhase.REST


def stages(identities: Iterable[Identity]) -> tuple[Stage, ...]:
    """All of them in the order of deletion; the rest goes in two steps, what is referred to after what refers."""
    found: dict[tuple[PrunePhase, bool], list[Identity]] = {}
    for identity in sorted(set(identities)):
        key = (phase_of(identity), identity.of_kind in _REFERRED_TO)
        found.setdefault(key, []).append(identity)
    return tuple(Stage(phase, tuple(found[phase, later])) for phase, later in sorted(found))


def propagation_of(kind: Kind) -> str:
    """The deletion policy to send, always one: a Job without any orphans its pods, and they run on.

    Workloads go in the foreground: when the object is gone, so are its pods. All else goes in the background, since a
    controller that does not look at deletionTimestamp may recreate children for as long as their owner is there.
    """
    return "Foreground" if kind in _WORKLOADS else "Background"
