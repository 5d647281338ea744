"""In which order manifests are applied: each wave needs what the ones before it put there."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import IntEnum
from typing import Any

from hook.manifests.identity import Kind, Object
from hook.manifests.manifest import Manifest
from hook.manifests.scope import KUBERNETES_GROUPS

_ADMISSION = "admissionregistration.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
API_SERVICE = Kind("apiregistration.k8s.io", "APIService")


class Wave(IntEnum):
    """The waves of one generation, in order."""

    NAMESPACES = 1  # and CRDs
    ROLES = 2  # a binding to a Role that is not there is refused
    CONFIGURATION = 3
    WORKLOADS = 4
    CUSTOM_RESOURCES = 5
    API_SERVICES = 6  # once their endpoints are ready
    SERVED = 7  # what these APIServices serve
    WEBHOOKS = 8  # admission last, so that it cannot refuse what its own server needs


_WAVES: dict[Kind, Wave] = {
    Kind("", "Namespace"): Wave.NAMESPACES,
    Kind("apiextensions.k8s.io", "CustomResourceDefinition"): Wave.NAMESPACES,
    Kind(_RBAC, "ClusterRole"): Wave.ROLES,
    Kind(_RBAC, "Role"): Wave.ROLES,
    API_SERVICE: Wave.API_SERVICES,
    Kind(_ADMISSION, "MutatingWebhookConfiguration"): Wave.WEBHOOKS,
    Kind(_ADMISSION, "ValidatingWebhookConfiguration"): Wave.WEBHOOKS,
    # Policies refuse what they match from the moment they stand, and their parameters are custom resources.
    Kind(_ADMISSION, "MutatingAdmissionPolicy"): Wave.WEBHOOKS,
    Kind(_ADMISSION, "MutatingAdmissionPolicyBinding"): Wave.WEBHOOKS,
    Kind(_ADMISSION, "ValidatingAdmissionPolicy"): Wave.WEBHOOKS,
    Kind(_ADMISSION, "ValidatingAdmissionPolicyBinding"): Wave.WEBHOOKS,
    Kind("", "Pod"): Wave.WORKLOADS,
    Kind("", "ReplicationController"): Wave.WORKLOADS,
    Kind("apps", "DaemonSet"): Wave.WORKLOADS,
    Kind("apps", "Deployment"): Wave.WORKLOADS,
    Kind("apps", "ReplicaSet"): Wave.WORKLOADS,
    Kind("apps", "StatefulSet"): Wave.WORKLOADS,
    Kind("batch", "CronJob"): Wave.WORKLOADS,
    Kind("batch", "Job"): Wave.WORKLOADS,
    # With the workload that it scales: earlier, new bounds would act on the old generation's pods. A
    # PodDisruptionBudget comes earlier, as configuration: it is to stand when the first pod is replaced.
    Kind("autoscaling", "HorizontalPodAutoscaler"): Wave.WORKLOADS,
}


def wave_of(manifest: Manifest, api_services: Collection[tuple[str, str]] = ()) -> Wave:
    """The wave of a manifest; `api_services` are the (group, version) that APIServices of the input serve."""
    kind = manifest.identity.of_kind
    if (kind.group, manifest.version) in api_services:
        return Wave.SERVED
    if kind in _WAVES:
        return _WAVES[kind]
    return Wave.CONFIGURATION if kind.group in KUBERNETES_GROUPS else Wave.CUSTOM_RESOURCES


def api_services_of(manifests: Iterable[Manifest]) -> frozenset[tuple[str, str]]:
    """The (group, version) that APIServices among the manifests serve by a Service (others are the server's own)."""
    found = set()
    for manifest in manifests:
        spec = manifest.obj.get("spec")
        if manifest.identity.of_kind != API_SERVICE or not isinstance(spec, dict) or not spec.get("service"):
            continue
        group, version = spec.get("group"), spec.get("version")
        if isinstance(group, str) and isinstance(version, str) and group:
            found.add((group, version))
    return frozenset(found)


def served_by(crd: Object) -> tuple[str, str, tuple[str, ...]]:
    """Group, kind and served versions of a CustomResourceDefinition; without versions where it does not say them."""
    spec = _mapping(crd.get("spec"))
    group, kind, versions = spec.get("group"), _mapping(spec.get("names")).get("kind"), spec.get("versions")
    if not isinstance(group, str) or not isinstance(kind, str) or not isinstance(versions, list):
        return "", "", ()
    served = [_mapping(one).get("name") for one in versions if _mapping(one).get("served") is True]
    return group, kind, tuple(name for name in served if isinstance(name, str))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
