"""Marks that belong to others: to the tools that delivered a manifest, to controllers, and to this tool itself.

Applied along they would make another tool claim or prune the object, or be fought over for ever.
"""

from __future__ import annotations

from typing import Any

_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_INSTANCE_LABEL = "app.kubernetes.io/instance"
_OWN_PREFIXES = ("owner.installersets.io/", "applied.installersets.io/")

_ANNOTATIONS = frozenset(
    {
        _TRACKING_ID,
        "argocd.argoproj.io/installation-id",
        "deployment.kubernetes.io/revision",
        "kubectl.kubernetes.io/last-applied-configuration",
        "kustomize.toolkit.fluxcd.io/checksum",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
    }
)
_HOOK_ANNOTATIONS = ("argocd.argoproj.io/hook", "helm.sh/hook")  # and all that begin with these
_LABELS = frozenset(
    {
        "helm.toolkit.fluxcd.io/name",
        "helm.toolkit.fluxcd.io/namespace",
        "kustomize.toolkit.fluxcd.io/name",
        "kustomize.toolkit.fluxcd.io/namespace",
    }
)
_FINALIZERS = frozenset({"argocd.argoproj.io/hook-finalizer"})

# What only a server writes. Owner references hold the uid of an owner in the cluster that the manifest was exported
# from; anywhere else garbage collection would delete the object for the want of it.
_SERVER_FIELDS = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
)


def strip_foreign_marks(metadata: dict[str, Any]) -> None:
    """Remove them from metadata, in place; labels, annotations and finalizers that end up empty go too."""
    for name in _SERVER_FIELDS:
        metadata.pop(name, None)
    annotations = metadata.get("annotations") or {}
    labels = metadata.get("labels") or {}
    apps = _argo_apps(annotations.get(_TRACKING_ID))
    metadata["annotations"] = {key: value for key, value in annotations.items() if not is_foreign_annotation(key)}
    metadata["labels"] = {
        key: value
        for key, value in labels.items()
        if not is_foreign_label(key) and not (key == _INSTANCE_LABEL and value in apps)
    }
    metadata["finalizers"] = [one for one in metadata.get("finalizers") or [] if one not in _FINALIZERS]
    for name in ("annotations", "labels", "finalizers"):
        if not metadata[name]:
            del metadata[name]


def is_foreign_annotation(key: str) -> bool:
    """Whether an annotation is stripped from manifests."""
    return key in _ANNOTATIONS or key.startswith(_HOOK_ANNOTATIONS) or key.startswith(_OWN_PREFIXES)


def is_foreign_label(key: str) -> bool:
    """Whether a label is stripped from manifests, whatever its value."""
    return key in _LABELS or key.startswith(_OWN_PREFIXES)


def _argo_apps(tracking_id: str | None) -> frozenset[str]:
    """The names that Argo CD may have written into the instance label, from `[NAMESPACE_]APP:GROUP/KIND:NS/NAME`."""
    app, colon, _ = (tracking_id or "").partition(":")
    return frozenset({app, app.partition("_")[2]}) - {""} if colon else frozenset()
