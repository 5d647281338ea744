"""Which kinds are Kubernetes' own, and which of them are ready by existing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hook.manifests.identity import Kind
from hook.manifests.scope import KUBERNETES_GROUPS
from hook.readiness.annotations import wait_for
from hook.readiness.fields import OddField, mapping

_EXIST: Final = {
    "": "ConfigMap Secret ServiceAccount LimitRange ResourceQuota Endpoints Event PodTemplate",
    "admissionregistration.k8s.io": (
        "ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
    ),
    "apps": "ControllerRevision",
    "batch": "CronJob",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "networking.k8s.io": "IngressClass NetworkPolicy",
    "node.k8s.io": "RuntimeClass",
    "rbac.authorization.k8s.io": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttributesClass",
}

READY_BY_EXISTING: Final = frozenset(Kind(g, kind) for g, kinds in _EXIST.items() for kind in kinds.split())


WORKLOADS: Final = frozenset(
    {
        Kind("apps", "Deployment"),
        Kind("apps", "ReplicaSet"),
        Kind("apps", "StatefulSet"),
        Kind("apps", "DaemonSet"),
        Kind("batch", "Job"),
    }
)
"""Kinds that select their Pods by spec.selector."""

_SERVICE: Final = Kind("", "Service")
_UNLESS_ASKED: Final = (_SERVICE, Kind("networking.k8s.io", "Ingress"))


def is_built_in(kind: Kind) -> bool:
    return kind.group in KUBERNETES_GROUPS


def needs_status(kind: Kind, manifest: Mapping[str, Any] | None = None) -> bool:
    """False for what is ready by existing: without a rule of one's own nobody need watch it.

    With its manifest, that is also known of Services and Ingresses, which are so unless an annotation asks for
    more, or a load balancer's Service still waits for its cluster IP.
    """
    if manifest is None or kind not in _UNLESS_ASKED:
        return kind not in READY_BY_EXISTING
    try:
        balanced = kind == _SERVICE and mapping(manifest, "spec").get("type") == "LoadBalancer"
        return balanced or bool(wait_for(manifest))
    except OddField:
        return True
