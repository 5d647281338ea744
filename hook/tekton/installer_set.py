"""A TektonInstallerSet as the cluster has it. Its manifests are whole objects, which nobody has validated."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from hook.manifests.identity import Identity, Kind, Object, identify, version_of
from hook.manifests.parts import Part

GROUP = "operator.tekton.dev"
VERSION = "v1alpha1"
TEKTON_SET = Kind(GROUP, "TektonInstallerSet")

CREATED_BY = f"{GROUP}/created-by"
RELEASE = f"{GROUP}/release-version"
TYPE = f"{GROUP}/type"
INSTALL_TYPE = f"{GROUP}/installType"
TARGET_NAMESPACE = f"{GROUP}/target-namespace"
# On sets, and on what their reconciler applies (but Deployments and StatefulSets).
APPLIED_HASH = f"{GROUP}/last-applied-hash"
MAIN = "main"


@dataclass(frozen=True, slots=True)
class TektonInstallerSet:
    """`ready` is the status of its Ready condition: True, False or Unknown."""

    name: str
    uid: str
    resource_version: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    owners: tuple[Mapping[str, Any], ...]
    manifests: tuple[Object, ...]
    ready: str
    message: str
    being_deleted: bool

    @classmethod
    def from_object(cls, obj: Mapping[str, Any]) -> TektonInstallerSet:
        metadata = obj["metadata"]
        manifests = (obj.get("spec") or {}).get("manifests")
        conditions = (obj.get("status") or {}).get("conditions") or ()
        ready = next((c for c in conditions if isinstance(c, Mapping) and c.get("type") == "Ready"), {})
        return cls(
            name=metadata["name"],
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            labels=metadata.get("labels") or {},
            annotations=metadata.get("annotations") or {},
            owners=tuple(metadata.get("ownerReferences") or ()),
            manifests=tuple(m for m in manifests if isinstance(m, dict)) if isinstance(manifests, list) else (),
            ready=str(ready.get("status") or "Unknown"),
            message=str(ready.get("message") or ""),
            being_deleted="deletionTimestamp" in metadata,
        )

    @property
    def identity(self) -> Identity:
        return Identity(TEKTON_SET.group, TEKTON_SET.kind, "", self.name)

    @property
    def part(self) -> Part:
        """The operator tells the parts by the names of its sets alone (its `client/check.go`)."""
        return next(
            (part for part in (Part.STATIC, Part.DEPLOYMENT, Part.STATEFULSET) if part in self.name), Part.STATIC
        )

    def listed(self) -> dict[Identity, str]:
        """What it lists: identity → version. A manifest may be there twice; what is no object is left out."""
        return {identity: version_of(obj) for obj in self.manifests if (identity := identity_of(obj)) is not None}

    def without(self, identities: Collection[Identity]) -> tuple[Object, ...]:
        """Its manifests but these, whatever their place in the list and however often they are in it."""
        return tuple(obj for obj in self.manifests if identity_of(obj) not in identities)

    def as_controller(self) -> Object:
        """The ownerReference that its reconciler writes to what it applies (its `transformer.go`)."""
        return {
            "apiVersion": f"{GROUP}/{VERSION}",
            "kind": TEKTON_SET.kind,
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }


def identity_of(manifest: Mapping[str, Any]) -> Identity | None:
    """None for what names no object."""
    try:
        identity = identify(manifest)
    except (KeyError, TypeError, AttributeError):
        return None
    return (
        identity if all(isinstance(part, str) for part in (identity.kind, identity.namespace, identity.name)) else None
    )
