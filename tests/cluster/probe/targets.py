"""What the probe looks at: objects by group, version, plural, namespace and name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.cluster.api import Api


@dataclass(frozen=True, slots=True)
class Target:
    """One object. `namespace` is empty for cluster-scoped ones."""

    group: str
    version: str
    kind: str
    plural: str
    namespace: str
    name: str

    @property
    def collection(self) -> str:
        """The path of all objects of its kind, in all namespaces."""
        root = f"/apis/{self.group}" if self.group else "/api"
        return f"{root}/{self.version}/{self.plural}"

    @property
    def path(self) -> str:
        """The path of the object."""
        if not self.namespace:
            return f"{self.collection}/{self.name}"
        root = self.collection.removesuffix(f"/{self.plural}")
        return f"{root}/namespaces/{self.namespace}/{self.plural}/{self.name}"

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


def targets_of(api: Api, objects: Iterable[Mapping[str, Any]], *, namespace: str = "default") -> list[Target]:
    """Targets for manifests; plurals and scopes are asked of the server. `namespace` is for those that name none.

    Raises KeyError for a kind that is not served.
    """
    served: dict[str, dict[str, dict[str, Any]]] = {}
    targets = []
    for item in objects:
        api_version = item["apiVersion"]
        group, _, version = api_version.rpartition("/")
        if api_version not in served:
            root = f"/apis/{api_version}" if group else f"/api/{api_version}"
            resources = api.request("GET", root).body.get("resources") or []
            served[api_version] = {r["kind"]: r for r in resources if "/" not in r["name"]}
        resource = served[api_version][item["kind"]]
        place = item["metadata"].get("namespace", namespace) if resource["namespaced"] else ""
        name = item["metadata"]["name"]
        targets.append(Target(group, version, item["kind"], resource["name"], place, name))
    return targets
