"""Fields that the API server never changes, so that only deleting and creating again does."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol

from hook.generations.marks import API_GROUP
from hook.generations.object_names import names
from hook.manifests.identity import Kind, Object, identify

RECREATE_ANNOTATION = f"{API_GROUP}/recreate"

_JOB = Kind("batch", "Job")


class Cause(Protocol):
    """One entry of a 422's `details.causes`."""

    @property
    def field(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...


_FORBIDDEN = "FieldValueForbidden"
_INVALID = "FieldValueInvalid"

# What a refusal of an immutable field ends with. For fields that can be wrong in other ways too: the end is the API
# server's own wording, while everything before it may quote what somebody wrote.
_ENDINGS = (
    "field is immutable",
    "field is immutable when `immutable` is set",
    "may not change once set",
    "cannot change roleRef",
    "updates to parameters are forbidden.",
    "updates to provisioner are forbidden.",
    "updates to reclaimPolicy are forbidden.",
    "updates to driverName are forbidden.",
    "may not be changed in an update.",
)
_INDEX = re.compile(r"\[\d+\]")

# (kind, field without indexes, as the API server spells it) → the reason by which every refusal of this field means
# that it is immutable; None where one of the endings above has to tell. A CustomResourceDefinition and a Namespace are
# not here on purpose: with them everything in them would go.
_IMMUTABLE: dict[tuple[Kind, str], str | None] = {
    **{
        (_JOB, f"spec.{field}"): None
        for field in (
            "template",
            "template.spec",  # of a suspended Job
            "selector",
            "completions",
            "completionMode",
            "podFailurePolicy",
            "backoffLimitPerIndex",
            "successPolicy",
            "managedBy",
        )
    },
    (Kind("apps", "Deployment"), "spec.selector"): None,
    (Kind("apps", "DaemonSet"), "spec.selector"): None,
    (Kind("apps", "ReplicaSet"), "spec.selector"): None,
    (Kind("apps", "StatefulSet"), "spec"): _FORBIDDEN,
    (Kind("apps", "StatefulSet"), "spec.selector"): None,
    (Kind("", "Pod"), "spec"): _FORBIDDEN,
    (Kind("", "Service"), "spec.clusterIP"): None,
    (Kind("", "Service"), "spec.clusterIPs"): None,
    (Kind("", "Service"), "spec.ipFamilies"): None,
    (Kind("", "Service"), "spec.loadBalancerClass"): None,
    (Kind("", "ConfigMap"), "data"): None,
    (Kind("", "ConfigMap"), "binaryData"): None,
    (Kind("", "ConfigMap"), "immutable"): None,
    (Kind("", "Secret"), "data"): None,
    (Kind("", "Secret"), "immutable"): None,
    (Kind("", "Secret"), "type"): None,
    (Kind("", "PersistentVolumeClaim"), "spec"): _FORBIDDEN,
    (Kind("", "PersistentVolume"), "spec.persistentvolumesource"): _FORBIDDEN,
    (Kind("", "PersistentVolume"), "volumeMode"): None,
    (Kind("rbac.authorization.k8s.io", "RoleBinding"), "roleRef"): None,
    (Kind("rbac.authorization.k8s.io", "ClusterRoleBinding"), "roleRef"): None,
    (Kind("storage.k8s.io", "StorageClass"), "parameters"): None,
    (Kind("storage.k8s.io", "StorageClass"), "provisioner"): None,
    (Kind("storage.k8s.io", "StorageClass"), "reclaimPolicy"): None,
    (Kind("storage.k8s.io", "StorageClass"), "volumeBindingMode"): None,
    (Kind("storage.k8s.io", "CSIDriver"), "spec.attachedRequired"): None,
    (Kind("storage.k8s.io", "CSIDriver"), "spec.volumeLifecycleModes"): None,
    (Kind("storage.k8s.io", "VolumeAttributesClass"), "driverName"): None,
    (Kind("storage.k8s.io", "VolumeAttributesClass"), "parameters"): None,
    (Kind("scheduling.k8s.io", "PriorityClass"), "value"): None,
    (Kind("scheduling.k8s.io", "PriorityClass"), "preemptionPolicy"): None,
    (Kind("node.k8s.io", "RuntimeClass"), "handler"): None,
    (Kind("networking.k8s.io", "IngressClass"), "spec.controller"): None,
    (Kind("discovery.k8s.io", "EndpointSlice"), "addressType"): None,
}


def immutable_changes(kind: Kind, causes: Sequence[Cause]) -> tuple[str, ...] | None:
    """The immutable fields that a refused change (422) asks to change; None if it was refused for anything else.

    `causes` are those of the Status. Every one of them must be a (kind, field) pair of our own table: a change that is
    invalid as well would only be deleted and then not be created. The text alone never decides, since it can quote
    what somebody wrote.
    """
    fields = dict.fromkeys(_INDEX.sub("", cause.field) for cause in causes if _is_immutable(kind, cause))
    return tuple(fields) if causes and all(_is_immutable(kind, cause) for cause in causes) else None


def _is_immutable(kind: Kind, cause: Cause) -> bool:
    key = (kind, _INDEX.sub("", cause.field))
    if key not in _IMMUTABLE:
        return False
    reason = _IMMUTABLE[key]
    if reason is not None:
        return cause.reason == reason
    return cause.reason in (_INVALID, _FORBIDDEN) and cause.message.endswith(_ENDINGS)


def recreates_by_itself(kind: Kind) -> bool:
    """True for a Job: it is work done once, so an ended one makes room for its changed successor without asking."""
    return kind == _JOB


def recreate_allowed(obj: Object, policy: Collection[str]) -> bool:
    """Whether deleting and creating this object again is allowed.

    By its annotation `installersets.io/recreate: allowed`, or by `policy`, entries KIND/NAME.
    """
    annotations = obj["metadata"].get("annotations") or {}
    return annotations.get(RECREATE_ANNOTATION) == "allowed" or names(policy, identify(obj))
