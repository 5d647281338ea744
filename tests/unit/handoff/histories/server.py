"""An API server in memory, as far as a handoff can tell: uids, resource versions, server-side apply, preconditions.

Lists are owned as a whole, and there are no schemas. A DELETE of a slow kind leaves the object terminating for a few
ticks. Each change is told to `watchers` as (actor, identity, before, after).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from hook.cluster.answers import ApiError, Cause, api_error
from hook.manifests.identity import Identity, Object

Path = tuple[str, ...]
Watcher = Callable[[str, Identity, Object | None, Object | None], None]

_SLOW = frozenset({"Deployment", "Namespace"})
_TICKS = 2
_NO_LEAVES = frozenset({"apiVersion", "kind", "status"})
_OWNED_METADATA = frozenset({"labels", "annotations"})


class Server:
    def __init__(self) -> None:
        self.objects: dict[Identity, Object] = {}
        self.watchers: list[Watcher] = []
        self.actor = ""
        self._revision = 0
        self._uids = 0
        self._terminating: dict[Identity, int] = {}

    def get(self, identity: Identity) -> Object:
        if identity not in self.objects:
            raise api_error(Cause.NOT_FOUND, "get", identity, "not found")
        return self.objects[identity]

    def tick(self) -> None:
        """A moment passes: deletions that are under way come nearer to their end."""
        for identity, left in list(self._terminating.items()):
            self._terminating[identity] = left - 1
            if left <= 1:
                del self._terminating[identity]
                self._store(identity, None)

    def create(self, identity: Identity, obj: Object) -> Object:
        if identity in self.objects:
            raise api_error(Cause.ALREADY_EXISTS, "create", identity, "exists")
        made = copy.deepcopy(obj)
        made.pop("status", None)
        made["metadata"] = {**made["metadata"], "uid": self._uid(), "generation": 1}
        return self._store(identity, made)

    def update(self, identity: Identity, obj: Object, subresource: str | None) -> Object:
        live = self._conditional(identity, "update", obj["metadata"].get("uid"), obj["metadata"].get("resourceVersion"))
        changed = copy.deepcopy(live)
        if subresource:
            changed[subresource] = copy.deepcopy(obj[subresource])
        else:
            changed["spec"] = copy.deepcopy(obj["spec"])
            for key in _OWNED_METADATA:
                changed["metadata"][key] = copy.deepcopy(obj["metadata"].get(key) or {})
            changed["metadata"]["generation"] += changed["spec"] != live["spec"]
        return self._store(identity, changed)

    def delete(self, identity: Identity, uid: str, resource_version: str) -> None:
        live = self._conditional(identity, "delete", uid, resource_version)
        if "deletionTimestamp" in live["metadata"]:
            return
        if identity.kind not in _SLOW:
            self._store(identity, None)
            return
        changed = copy.deepcopy(live)
        changed["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        self._terminating[identity] = _TICKS
        self._store(identity, changed)

    def json_patch(self, identity: Identity, operations: list[dict[str, Any]], manager: str) -> Object:
        live = self.get(identity)
        changed = copy.deepcopy(live)
        before = set(leaves(live))
        for operation in operations:
            *parents, last = operation["path"].removeprefix("/").split("/")
            place = changed
            for name in parents:
                place = place[name]
            if operation["path"] == "/metadata/resourceVersion" and operation["value"] != place[last]:
                raise api_error(Cause.STALE, "patch", identity, "stale")
            place[last] = copy.deepcopy(operation["value"])
        new = {
            path for path in leaves(changed) if path not in before or value_at(live, path) != value_at(changed, path)
        }
        entries = [entry for entry in changed["metadata"].get("managedFields") or () if entry]
        owned = {(e["manager"], e["operation"]): paths_of(e["fieldsV1"]) for e in entries}
        gone = before - set(leaves(changed))
        owned = {key: paths - gone - new for key, paths in owned.items()}
        if new:
            owned[manager, "Update"] = owned.get((manager, "Update"), set()) | new
        _own(changed, owned)
        return self._store(identity, changed)

    def apply(
        self, identity: Identity, body: Object, manager: str, *, force: bool, dry_run: bool
    ) -> tuple[Object, bool]:
        live = self.objects.get(identity)
        uid = body["metadata"].get("uid")
        if uid and (live is None or live["metadata"]["uid"] != uid):
            raise api_error(Cause.UID_MISMATCH, "apply", identity, "uid")
        seen = body["metadata"].get("resourceVersion")
        if seen and (live is None or live["metadata"]["resourceVersion"] != seen):
            raise api_error(Cause.STALE, "apply", identity, "stale")
        if live is None and identity.namespace and dry_run:
            raise api_error(Cause.NAMESPACE_MISSING, "apply", identity, "namespace")
        changed = copy.deepcopy(live) if live is not None else self._empty(body)
        wanted = {path: value_at(body, path) for path in leaves(body)}
        owned = {(e["manager"], e["operation"]): paths_of(e["fieldsV1"]) for e in _entries(changed)}
        mine = owned.pop((manager, "Apply"), set())
        for key, paths in owned.items():
            fighting = {path for path in paths & wanted.keys() if value_at(changed, path) != wanted[path]}
            if fighting and not force:
                raise api_error(Cause.FIELD_CONFLICT, "apply", identity, f"conflict with {key[0]}")
            owned[key] = paths - fighting
        for path in mine - wanted.keys():
            if not any(path in paths for paths in owned.values()):
                remove_at(changed, path)
        for path, value in wanted.items():
            set_at(changed, path, value)
        owned[manager, "Apply"] = set(wanted)
        _own(changed, owned)
        if live is not None and changed == live:
            return live, False
        if dry_run:
            return changed, live is None
        if live is None:
            changed["metadata"]["uid"] = self._uid()
            changed["metadata"]["generation"] = 1
        elif changed.get("spec") != live.get("spec"):
            changed["metadata"]["generation"] += 1
        return self._store(identity, changed), live is None

    def put(self, identity: Identity, obj: Object | None) -> None:
        """What a person does: whatever they like. None deletes it at once."""
        self._terminating.pop(identity, None)
        self._store(identity, obj)

    def _conditional(self, identity: Identity, verb: str, uid: str | None, resource_version: str | None) -> Object:
        live = self.get(identity)
        if live["metadata"]["uid"] != uid:
            raise api_error(Cause.UID_MISMATCH, verb, identity, "uid")
        if live["metadata"]["resourceVersion"] != resource_version:
            raise api_error(Cause.STALE, verb, identity, "stale")
        return live

    def _store(self, identity: Identity, obj: Object | None) -> Object:
        before = self.objects.get(identity)
        self._revision += 1
        if obj is None:
            self.objects.pop(identity, None)
        else:
            obj["metadata"]["resourceVersion"] = str(self._revision)
            self.objects[identity] = obj
        for watcher in self.watchers:
            watcher(self.actor, identity, before, obj)
        return obj or {}

    def _empty(self, body: Object) -> Object:
        metadata = {key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}
        return {"apiVersion": body["apiVersion"], "kind": body["kind"], "metadata": metadata}

    def _uid(self) -> str:
        self._uids += 1
        return f"uid-{self._uids}"


def leaves(obj: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of everything that a manager can own."""
    if isinstance(obj, dict) and obj:
        for name, value in obj.items():
            if (not path and name in _NO_LEAVES) or (path == ("metadata",) and name not in _OWNED_METADATA):
                continue
            yield from leaves(value, (*path, name))
    elif path and path not in (("metadata", "labels"), ("metadata", "annotations")):
        yield path


def value_at(obj: Object, path: Path) -> Any:
    value: Any = obj
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def set_at(obj: Object, path: Path, value: Any) -> None:
    for name in path[:-1]:
        obj = obj.setdefault(name, {})
    obj[path[-1]] = copy.deepcopy(value)


def remove_at(obj: Object, path: Path) -> None:
    for name in path[:-1]:
        obj = obj.get(name, {})
    obj.pop(path[-1], None)


def paths_of(fields: dict[str, Any], path: Path = ()) -> set[Path]:
    found: set[Path] = set()
    for key, node in fields.items():
        below = (*path, key.removeprefix("f:"))
        found |= paths_of(node, below) if node else {below}
    return found


def fields_of(paths: set[Path]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for path in sorted(paths):
        node = fields
        for name in path:
            node = node.setdefault(f"f:{name}", {})
    return fields


def _entries(obj: Object) -> list[dict[str, Any]]:
    return [entry for entry in obj["metadata"].get("managedFields") or () if entry]


def _own(obj: Object, owned: dict[tuple[str, str], set[Path]]) -> None:
    obj["metadata"]["managedFields"] = [
        {
            "manager": manager,
            "operation": operation,
            "apiVersion": obj["apiVersion"],
            "fieldsType": "FieldsV1",
            "fieldsV1": fields_of(paths),
        }
        for (manager, operation), paths in sorted(owned.items())
        if paths
    ]


def unavailable(identity: Identity, verb: str) -> ApiError:
    return api_error(Cause.UNAVAILABLE, verb, identity, "503")
