"""What a run talks to instead of a connection: the server in memory, with kills, and others that act meanwhile."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hook.cluster.discovery import Discovery
from hook.cluster.objects import Written
from hook.cluster.reads import Access, Listing
from hook.cluster.resource_type import ResourceType
from hook.errors import HandoffError
from hook.generations.installer_set import API_VERSION, KIND, VERSION
from hook.generations.marks import API_GROUP
from hook.handoff.deadline import Deadline
from hook.handoff.session import Session, worst
from hook.manifests.identity import Identity, Object
from tests.unit.handoff.histories.server import Server, unavailable

T = TypeVar("T")
R = TypeVar("R")

_VERBS = frozenset({"get", "list", "watch", "create", "update", "patch", "delete"})
SETS = ResourceType(API_GROUP, VERSION, KIND, "installersets", True, _VERBS, True)
TYPES = (
    ResourceType("", "v1", "ConfigMap", "configmaps", True, _VERBS),
    ResourceType("", "v1", "Secret", "secrets", True, _VERBS),
    ResourceType("", "v1", "Namespace", "namespaces", False, _VERBS),
    ResourceType("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, _VERBS),
    ResourceType("", "v1", "Pod", "pods", True, _VERBS),
    ResourceType("apps", "v1", "Deployment", "deployments", True, _VERBS),
    ResourceType("rbac.authorization.k8s.io", "v1", "Role", "roles", True, _VERBS),
    ResourceType("apiregistration.k8s.io", "v1", "APIService", "apiservices", False, _VERBS),
    ResourceType("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", False, _VERBS),
    ResourceType("example.org", "v1", "Gear", "gears", True, _VERBS),
    ResourceType("tools.example.org", "v1", "Tool", "tools", True, _VERBS),
    SETS,
)


class Killed(BaseException):
    """SIGKILL: nothing of the run is done any more."""


@dataclass
class Script:
    """What happens to one run: `kill` is the number of the write before which it ends (`after`: after which),
    `meanwhile` what somebody else does before the request of that number, `down` the API groups that do not answer."""

    kill: int | None = None
    after: bool = False
    meanwhile: Mapping[int, Callable[[], None]] = field(default_factory=dict)
    down: frozenset[str] = frozenset()


class Client:
    """Stands in for `Objects`."""

    def __init__(self, server: Server, actor: str, script: Script) -> None:
        self._server = server
        self._actor = actor
        self._script = script
        self._requests = 0
        self._writes = 0

    def get(self, rt: ResourceType, namespace: str | None, name: str, metadata_only: bool = False, **_: Any) -> Object:
        identity = rt.identity(namespace, name)
        self._begin(identity, "get")
        return _seen(self._server.get(identity), metadata_only)

    def list(
        self,
        rt: ResourceType,
        namespace: str | None = None,
        metadata_only: bool = False,
        label_selector: str | None = None,
        field_selector: str | None = None,
    ) -> Listing:
        self._begin(rt.identity(namespace, None), "list")
        key, _, value = (label_selector or "").partition("=")
        found = [
            _seen(obj, metadata_only)
            for identity, obj in sorted(self._server.objects.items())
            if identity.of_kind == rt.of_kind
            and namespace in (None, "", identity.namespace)
            and (not key or (obj["metadata"].get("labels") or {}).get(key) == value)
        ]
        return Listing(found, "0")

    def apply(
        self,
        rt: ResourceType,
        obj: Object,
        manager: str,
        *,
        force: bool = True,
        dry_run: bool = False,
        metadata_only: bool = False,
    ) -> Written:
        identity = rt.identity(obj["metadata"].get("namespace"), obj["metadata"]["name"])

        def act() -> Written:
            done, created = self._server.apply(identity, obj, manager, force=force, dry_run=dry_run)
            return Written(_seen(done, metadata_only), created)

        return self._read(identity, "dry-run", act) if dry_run else self._write(identity, "apply", act)

    def json_patch(
        self, rt: ResourceType, namespace: str | None, name: str, ops: Sequence[Mapping[str, Any]], manager: str
    ) -> Object:
        identity = rt.identity(namespace, name)
        operations = [dict(operation) for operation in ops]
        return self._write(identity, "patch", lambda: self._server.json_patch(identity, operations, manager))

    def create(self, rt: ResourceType, obj: Object, manager: str = "", **_: Any) -> Object:
        identity = rt.identity(obj["metadata"].get("namespace"), obj["metadata"]["name"])
        return _seen(self._write(identity, "create", lambda: self._server.create(identity, obj)), False)

    def update(self, rt: ResourceType, obj: Object, subresource: str | None = None, **_: Any) -> Object:
        identity = rt.identity(obj["metadata"].get("namespace"), obj["metadata"]["name"])
        return _seen(self._write(identity, "update", lambda: self._server.update(identity, obj, subresource)), False)

    def delete(
        self, rt: ResourceType, namespace: str | None, name: str, *, uid: str, resource_version: str, **_: Any
    ) -> None:
        identity = rt.identity(namespace, name)
        self._write(identity, "delete", lambda: self._server.delete(identity, uid, resource_version))

    def review_access(self, *_: Any, **__: Any) -> Access:
        return Access(True, "")

    def _read(self, identity: Identity, verb: str, act: Callable[[], T]) -> T:
        self._begin(identity, verb)
        return act()

    def _write(self, identity: Identity, verb: str, act: Callable[[], T]) -> T:
        self._begin(identity, verb)
        self._writes += 1
        last = self._writes == self._script.kill
        if last and not self._script.after:
            raise Killed
        self._server.actor = self._actor
        done = act()
        if last:
            raise Killed
        return done

    def _begin(self, identity: Identity, verb: str) -> None:
        self._requests += 1
        act = self._script.meanwhile.get(self._requests)
        if act is not None:
            act()
        if identity.group in self._script.down:
            raise unavailable(identity, verb)


class SerialSession(Session):
    """One request at a time, so that every history can be told again."""

    def parallel(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        results: list[R] = []
        errors: list[BaseException] = []
        for item in items:
            try:
                results.append(function(item))
            except HandoffError as error:
                errors.append(error)
        if errors:
            raise worst(errors)
        return results


class Patience(Deadline):
    """Time passes only in pauses, and ends after some of them."""

    _pauses = 60

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seconds = 60.0
        self.retirement_began = False

    def remaining(self) -> float:
        return float(max(0, self._pauses))

    def pause(self, seconds: float) -> None:
        self._pauses -= 1
        self._server.tick()


class Served:
    """Stands in for the CRD of the sets."""

    def ensure(self) -> ResourceType:
        return SETS

    served = ensure


class NoEvents:
    """Stands in for Events, which change nothing."""

    def tell(self, *_: Any) -> None:
        pass


def discovery(down: frozenset[str]) -> Discovery:
    """What is served, but for the groups that do not answer."""
    groups: dict[str, tuple[tuple[str, tuple[ResourceType, ...]], ...]] = {}
    for each in TYPES:
        types = groups.get(each.group, ((each.version, ()),))[0][1]
        groups[each.group] = ((each.version, () if each.group in down else (*types, each)),)
    return Discovery(groups, down)


def _seen(obj: Object, metadata_only: bool) -> Object:
    if metadata_only:
        return {key: copy.deepcopy(obj[key]) for key in ("apiVersion", "kind", "metadata")}
    return copy.deepcopy(obj)


def set_identity(namespace: str, name: str) -> Identity:
    return SETS.identity(namespace, name)


__all__ = ["API_VERSION", "Client", "Killed", "NoEvents", "Patience", "Script", "SerialSession", "Served", "discovery"]
