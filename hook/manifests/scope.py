"""Which kinds live in a namespace: Kubernetes' own by table, others by the CRDs that come with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hook.manifests.identity import Kind, Object

# Source: the API discovery of Kubernetes 1.36, and what older servers had besides.
_CLUSTER: Mapping[str, str] = {
    "": "ComponentStatus Namespace Node PersistentVolume",
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration "
        "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "authentication.k8s.io": "SelfSubjectReview TokenReview",
    "authorization.k8s.io": "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle",
    "extensions": "PodSecurityPolicy",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "internal.apiserver.k8s.io": "StorageVersion",
    "networking.k8s.io": "IPAddress IngressClass ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "PodSecurityPolicy",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding",
    "resource.k8s.io": "DeviceClass DeviceTaintRule ResourceSlice",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}
_NAMESPACED: Mapping[str, str] = {
    "": (
        "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController "
        "ResourceQuota Secret Service ServiceAccount"
    ),
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "authorization.k8s.io": "LocalSubjectAccessReview",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "certificates.k8s.io": "PodCertificateRequest",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "extensions": "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet",
    "networking.k8s.io": "Ingress NetworkPolicy",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "Role RoleBinding",
    "resource.k8s.io": "ResourceClaim ResourceClaimTemplate",
    "storage.k8s.io": "CSIStorageCapacity",
}


def _kinds(table: Mapping[str, str]) -> frozenset[Kind]:
    return frozenset(Kind(group, kind) for group, kinds in table.items() for kind in kinds.split())


BUILT_IN_CLUSTER_SCOPED = _kinds(_CLUSTER)
BUILT_IN_NAMESPACED = _kinds(_NAMESPACED)

# Groups of Kubernetes itself. A group that only ends in k8s.io (gateway.networking.k8s.io) is not one of them.
KUBERNETES_GROUPS = frozenset(_CLUSTER) | frozenset(_NAMESPACED)


def builtin_scope(kind: Kind) -> bool | None:
    """True for a namespaced kind of Kubernetes, False for a cluster-scoped one, None for a kind that is not known."""
    if kind in BUILT_IN_NAMESPACED:
        return True
    if kind in BUILT_IN_CLUSTER_SCOPED:
        return False
    return None


def scope_from(objects: Iterable[Object]) -> dict[Kind, bool]:
    """Kind → whether it is namespaced, for the kinds that CRDs among these objects define."""
    scopes: dict[Kind, bool] = {}
    for obj in objects:
        spec = obj.get("spec")
        if (
            obj.get("kind") != "CustomResourceDefinition"
            or not isinstance(spec, dict)
            or not isinstance(spec.get("names"), dict)
        ):
            continue
        group, kind, scope = spec.get("group"), spec["names"].get("kind"), spec.get("scope")
        if isinstance(group, str) and isinstance(kind, str) and scope in ("Namespaced", "Cluster"):
            scopes[Kind(group, kind)] = scope == "Namespaced"
    return scopes
