"""A kind as one server serves it: where its objects are found."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from hook.manifests.identity import Identity, Kind


@dataclass(frozen=True, slots=True)
class ResourceType:
    """One kind at one version, from discovery.

    `plural` is the resource's name in paths, `verbs` what the server allows on it at all (`list`, `watch`, ...).
    """

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    has_status: bool = False

    @property
    def of_kind(self) -> Kind:
        return Kind(self.group, self.kind)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def is_secret(self) -> bool:
        """True for core Secrets, whose values must not show up anywhere."""
        return self.group == "" and self.kind == "Secret"

    def path(self, namespace: str | None = None, name: str | None = None, subresource: str = "") -> str:
        """The URL path of an object, or of the collection where `name` is None.

        `namespace` is ignored for cluster-scoped kinds; None or "" is all namespaces, which only a collection may be.
        """
        parts = ["/api"] if not self.group else ["/apis", self.group]
        parts.append(self.version)
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        elif self.namespaced and name is not None:
            raise ValueError(f"{self.of_kind} {name} is namespaced and no namespace was given")
        parts.append(self.plural)
        if name is not None:
            # RBAC names are any path segment: colons, percent signs and blanks among them.
            parts.append(quote(name, safe=""))
        if subresource:
            parts.append(subresource)
        return "/".join(parts)

    def identity(self, namespace: str | None, name: str | None) -> Identity:
        """What a request for that object is about."""
        return Identity(self.group, self.kind, (namespace or "") if self.namespaced else "", name or "")


# Needed before discovery was read, and fixed for as long as these API groups are.
LEASE = ResourceType("coordination.k8s.io", "v1", "Lease", "leases", True, frozenset({"get", "update"}))
JOB = ResourceType("batch", "v1", "Job", "jobs", True, frozenset({"get"}), has_status=True)
CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True, frozenset({"get"}))
SECRET = ResourceType("", "v1", "Secret", "secrets", True, frozenset({"get"}))
NAMESPACE = ResourceType("", "v1", "Namespace", "namespaces", False, frozenset({"get"}), has_status=True)
EVENT = ResourceType("events.k8s.io", "v1", "Event", "events", True, frozenset({"create", "list"}))
