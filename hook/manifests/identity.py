"""What names a resource: group, kind, namespace and name, never the version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# One Kubernetes object as JSON: str keys; values are str, int, float, bool, None, list or dict.
Object = dict[str, Any]


@dataclass(frozen=True, slots=True, order=True)
class Kind:
    """A group and a kind, e.g. ("apps", "Deployment"); the core group is ""."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}.{self.group}" if self.group else self.kind


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """A resource in the cluster; `namespace` is "" for cluster-scoped ones (and where none was given yet)."""

    group: str
    kind: str
    namespace: str
    name: str

    @property
    def of_kind(self) -> Kind:
        return Kind(self.group, self.kind)

    def __str__(self) -> str:
        """`Deployment.apps tekton-pipelines/controller`, `Namespace tekton-pipelines`."""
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.of_kind} {place}"


def split_api_version(api_version: str) -> tuple[str, str]:
    """`apps/v1` → ("apps", "v1"); `v1` → ("", "v1")."""
    group, _, version = api_version.rpartition("/")
    return group, version


def identify(obj: Mapping[str, Any]) -> Identity:
    """The identity of an object that has apiVersion, kind and metadata.name (all checked on reading)."""
    metadata = obj["metadata"]
    group, _ = split_api_version(obj["apiVersion"])
    return Identity(group, obj["kind"], metadata.get("namespace") or "", metadata["name"])


def version_of(obj: Mapping[str, Any]) -> str:
    """The version in an object's apiVersion: `apps/v1` → `v1`."""
    return split_api_version(obj["apiVersion"])[1]
