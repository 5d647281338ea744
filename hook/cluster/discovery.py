"""What the API server serves, in two requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hook.cluster.connection import Connection
from hook.cluster.exchange import ask
from hook.cluster.resource_type import ResourceType
from hook.errors import Refused
from hook.manifests.identity import Identity, Kind, Object

# Aggregated discovery, stable since Kubernetes 1.30 and on by default since 1.27.
_ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"


class Discovery:
    """One look at what is served; immutable. Read it again after CRDs or APIServices were applied.

    "Down" and "absent" differ: a group whose API server does not answer is in `stale_groups`, and what is not found in
    it is unknown rather than gone.
    """

    def __init__(self, groups: Mapping[str, tuple[tuple[str, tuple[ResourceType, ...]], ...]], stale: frozenset[str]):
        self._versions = groups
        self.stale_groups = stale
        self._served: dict[tuple[str, str, str], ResourceType] = {}
        self._preferred: dict[Kind, ResourceType] = {}
        for versions in groups.values():
            for _, types in versions:
                for each in types:
                    self._served.setdefault((each.group, each.version, each.kind), each)
                    self._preferred.setdefault(each.of_kind, each)

    @classmethod
    def read(cls, connection: Connection) -> Discovery:
        """Asks the server. Raises ApiError, and Refused where the server is too old to answer in this form."""
        groups: dict[str, tuple[tuple[str, tuple[ResourceType, ...]], ...]] = {}
        stale: set[str] = set()
        for path in ("/api", "/apis"):
            for group, versions, is_stale in _groups(_document(connection, path)):
                groups[group] = versions
                if is_stale:
                    stale.add(group)
        return cls(groups, frozenset(stale))

    def find(self, kind: Kind, version: str | None = None) -> ResourceType | None:
        """The kind at that version if it is served, else at the version that the server prefers; None if at none."""
        if version is not None and (exact := self._served.get((kind.group, version, kind.kind))):
            return exact
        return self._preferred.get(kind)

    def served(self, group: str, version: str, kind: str) -> bool:
        """Whether exactly this version of the kind is served; `kind` may also be the plural."""
        return (group, version, kind) in self._served or any(
            each.plural == kind for name, types in self._versions.get(group, ()) if name == version for each in types
        )

    def serves(self, group: str, version: str) -> bool:
        """Whether the group's version is served, and its API server answered."""
        return any(name == version and types for name, types in self._versions.get(group, ()))

    def versions_of(self, kind: Kind) -> tuple[ResourceType, ...]:
        """The kind at every version that serves it, the preferred one first."""
        return tuple(
            each for _, types in self._versions.get(kind.group, ()) for each in types if each.kind == kind.kind
        )

    def knows_group(self, group: str) -> bool:
        """Whether the group is served, if only in name (its API server may be down)."""
        return group in self._versions

    def is_unknown(self, kind: Kind) -> bool:
        """True where "not found here" does not mean "not served": the kind is missing and its group is stale."""
        return kind.group in self.stale_groups and kind not in self._preferred

    def namespaced(self, kind: Kind) -> bool | None:
        """The kind's scope, None where it is not served (or not known now)."""
        found = self._preferred.get(kind)
        return None if found is None else found.namespaced

    def __iter__(self) -> Iterator[ResourceType]:
        """Every kind once, at its preferred version."""
        return iter(self._preferred.values())


def _document(connection: Connection, path: str) -> Object:
    obj = Identity("apidiscovery.k8s.io", "APIGroupDiscoveryList", "", path)
    document = ask(
        connection, "discover", obj, "", "GET", path, headers={"Accept": _ACCEPT}, usable=lambda value: "kind" in value
    ).value
    if document.get("kind") != "APIGroupDiscoveryList":
        raise Refused(f"{connection.host}{path} has no aggregated discovery: Kubernetes 1.27 or newer is needed")
    return document


def _groups(document: Object) -> Iterator[tuple[str, tuple[tuple[str, tuple[ResourceType, ...]], ...], bool]]:
    for item in document.get("items") or ():
        group = (item.get("metadata") or {}).get("name") or ""
        versions = item.get("versions") or ()
        yield (
            group,
            tuple((each["version"], tuple(_types(group, each))) for each in versions),
            any(each.get("freshness") == "Stale" for each in versions),
        )


def _types(group: str, version: Mapping[str, Any]) -> Iterator[ResourceType]:
    for resource in version.get("resources") or ():
        kind = (resource.get("responseKind") or {}).get("kind")
        if not kind:
            continue
        yield ResourceType(
            group,
            version["version"],
            kind,
            resource["resource"],
            resource.get("scope") == "Namespaced",
            frozenset(resource.get("verbs") or ()),
            any(each.get("subresource") == "status" for each in resource.get("subresources") or ()),
        )
