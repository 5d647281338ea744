"""Signs that another tool, or a controller, owns a live object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hook.generations.managed_fields import Entry
from hook.generations.predecessors import controller_of
from hook.manifests.identity import Identity

_TRACKING_ID = "argocd.argoproj.io/tracking-id"
_ARGO_MANAGERS = frozenset({"argocd-controller", "argocd-application-controller"})

# (what it is, labels or annotations, key of its name, key of its namespace, its field managers)
_SIGNS = (
    (
        "Helm release",
        "annotations",
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        frozenset({"helm", "helm-controller"}),
    ),
    (
        "Flux Kustomization",
        "labels",
        "kustomize.toolkit.fluxcd.io/name",
        "kustomize.toolkit.fluxcd.io/namespace",
        frozenset({"kustomize-controller"}),
    ),
    (
        "Flux HelmRelease",
        "labels",
        "helm.toolkit.fluxcd.io/name",
        "helm.toolkit.fluxcd.io/namespace",
        frozenset({"helm", "helm-controller"}),
    ),
    ("kapp application", "labels", "kapp.k14s.io/app", "", frozenset({"kapp-server"})),
    ("ApplySet", "labels", "applyset.kubernetes.io/part-of", "", frozenset({"kubectl-applyset"})),
    ("inventory", "annotations", "config.k8s.io/owning-inventory", "", frozenset({"kubectl", "kpt"})),
)


@dataclass(frozen=True, slots=True)
class ForeignOwner:
    """`kind` is "Helm release", "Argo CD application", "Flux Kustomization", "controller" and the like.

    `managers` are the names under which it writes, as far as they are known.
    """

    kind: str
    name: str
    managers: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def foreign_owner(metadata: Mapping[str, Any], identity: Identity) -> ForeignOwner | None:
    """The first sign of another owner in a live object's metadata; None where there is none.

    A controller comes first: it deletes and recreates what it owns. Labels that charts and templates carry anyway
    (`app.kubernetes.io/managed-by: Helm`, `app.kubernetes.io/instance`) are no sign; a tracking id is one only if it
    names this very object, since controllers copy annotations to their children.
    """
    return _controller(metadata) or _argo(metadata, identity) or _marked(metadata)


def _controller(metadata: Mapping[str, Any]) -> ForeignOwner | None:
    reference = controller_of(metadata)
    return ForeignOwner("controller", f"{reference.get('kind')}/{reference.get('name')}") if reference else None


def _argo(metadata: Mapping[str, Any], identity: Identity) -> ForeignOwner | None:
    tracking_id = (metadata.get("annotations") or {}).get(_TRACKING_ID)
    if tracking_id:
        application, _, tracked = tracking_id.partition(":")
        # The group is left out: it differs for an object that moved to another one.
        if tracked.partition("/")[2] == f"{identity.kind}:{identity.namespace}/{identity.name}":
            return ForeignOwner("Argo CD application", application, _ARGO_MANAGERS)
    return _argo_by_label(metadata)


def _argo_by_label(metadata: Mapping[str, Any]) -> ForeignOwner | None:
    """Tracking by label: any template may set that label, so an Argo CD manager must have written it."""
    application = (metadata.get("labels") or {}).get("app.kubernetes.io/instance")
    for entry in metadata.get("managedFields") or ():
        labels = _labels(entry)
        if application and entry.get("manager") in _ARGO_MANAGERS and "f:app.kubernetes.io/instance" in labels:
            return ForeignOwner("Argo CD application", application, _ARGO_MANAGERS)
    return None


def _labels(entry: Entry) -> dict[str, Any]:
    fields: dict[str, Any] = entry.get("fieldsV1") or {}
    labels: dict[str, Any] = fields.get("f:metadata", {}).get("f:labels", {})
    return labels


def _marked(metadata: Mapping[str, Any]) -> ForeignOwner | None:
    for kind, place, name_key, namespace_key, managers in _SIGNS:
        marks = metadata.get(place) or {}
        if marks.get(name_key):
            namespace = marks.get(namespace_key) if namespace_key else None
            name = f"{namespace}/{marks[name_key]}" if namespace else str(marks[name_key])
            return ForeignOwner(kind, name, managers)
    return None
