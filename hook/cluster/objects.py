"""Writing objects of any kind, as JSON; reading them is in `reads`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hook.cluster.answers import ApiError, Cause
from hook.cluster.bodies import holds, is_object, meant, typed
from hook.cluster.connection import REQUEST_TIMEOUT
from hook.cluster.exchange import ask
from hook.cluster.reads import METADATA, Reads
from hook.cluster.resource_type import ResourceType
from hook.manifests.identity import Object

# The server gives a write up after this time, which with that of connecting stays below REQUEST_TIMEOUT: one that was
# started under the Lease can not act after it.
_WRITE = {"timeout": "12s"}
# A dry run changes nothing, whenever it ends: what a busy server needs for a definition of a megabyte is left to it.
_DRY_RUN = {"timeout": "55s", "dryRun": "All"}
_DRY_RUN_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Written:
    """The object as the server returned it, and whether the request created it (201)."""

    obj: Object
    created: bool


class Objects(Reads):
    """Thread-safe. Every method raises ApiError (see `Cause`), Terminated, and what the fence raises."""

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
        """Server-side apply. `obj` with metadata.uid is applied to that very object or not at all (UID_MISMATCH)."""
        limits = _DRY_RUN if dry_run else _WRITE
        query = {"fieldManager": manager, "force": "true" if force else "false", **limits}
        headers = {"Content-Type": "application/apply-patch+yaml"}
        if metadata_only:
            headers["Accept"] = METADATA
        metadata = obj["metadata"]
        served = ask(
            self.connection,
            "dry-run" if dry_run else "apply",
            rt.identity(metadata.get("namespace"), metadata["name"]),
            rt.plural,
            "PATCH",
            rt.path(metadata.get("namespace"), metadata["name"]),
            query=query,
            body=obj,
            headers=headers,
            timeout=_DRY_RUN_TIMEOUT if dry_run else REQUEST_TIMEOUT,
            usable=lambda value: is_object(value, metadata["name"]),
        )
        return Written(typed(rt, served.value, metadata_only), served.answer.status == 201)

    def json_patch(
        self, rt: ResourceType, namespace: str | None, name: str, ops: Sequence[Mapping[str, Any]], manager: str
    ) -> Object:
        """A JSON patch (RFC 6902). One that replaces metadata.resourceVersion is STALE where the object moved on."""
        served = ask(
            self.connection,
            "patch",
            rt.identity(namespace, name),
            rt.plural,
            "PATCH",
            rt.path(namespace, name),
            query={"fieldManager": manager, **_WRITE},
            body=list(ops),
            headers={"Content-Type": "application/json-patch+json"},
            usable=lambda value: is_object(value, name),
        )
        return typed(rt, served.value, False)

    def create(self, rt: ResourceType, obj: Object, manager: str = "handoff", *, urgent: bool = False) -> Object:
        """Creates the object. One that is there already because our own answer was lost counts as created."""
        metadata = obj["metadata"]
        return self._write(rt, obj, "create", "POST", rt.path(metadata.get("namespace")), manager, None, urgent=urgent)

    def update(
        self,
        rt: ResourceType,
        obj: Object,
        subresource: str | None = None,
        manager: str = "handoff",
        *,
        urgent: bool = False,
        timeout: float | None = None,
    ) -> Object:
        """Replaces the object (or its subresource); metadata.uid and resourceVersion must be those that were read.

        A conflict that is nothing but our own write, whose answer was lost, counts as done. `timeout`: try once only,
        and so many seconds.
        """
        metadata = obj["metadata"]
        if not metadata.get("resourceVersion") or not metadata.get("uid"):
            raise ValueError(
                "an update without uid and resourceVersion could create the object, or overwrite another's"
            )
        path = rt.path(metadata.get("namespace"), metadata["name"], subresource or "")
        return self._write(rt, obj, "update", "PUT", path, manager, subresource, urgent=urgent, timeout=timeout)

    def _write(
        self,
        rt: ResourceType,
        obj: Object,
        verb: str,
        method: str,
        path: str,
        manager: str,
        subresource: str | None,
        *,
        urgent: bool = False,
        timeout: float | None = None,
    ) -> Object:
        metadata = obj["metadata"]
        name = metadata["name"]
        try:
            served = ask(
                self.connection,
                verb,
                rt.identity(metadata.get("namespace"), name),
                rt.plural,
                method,
                path,
                query={"fieldManager": manager, **_WRITE},
                body=obj,
                usable=lambda value: is_object(value, name),
                urgent=urgent,
                timeout=timeout or REQUEST_TIMEOUT,
                once=timeout is not None,
            )
        except ApiError as error:
            if not error.lost or error.cause not in (Cause.STALE, Cause.ALREADY_EXISTS):
                raise
            live = self.get(rt, metadata.get("namespace"), name, urgent=urgent)
            if not holds(live, meant(obj, subresource)):
                raise
            return live
        return typed(rt, served.value, False)

    def delete(
        self,
        rt: ResourceType,
        namespace: str | None,
        name: str,
        *,
        uid: str,
        resource_version: str,
        propagation: str,
        urgent: bool = False,
    ) -> Object | None:
        """Deletes exactly what was read: STALE or UID_MISMATCH if it is not that any more.

        `propagation`: Foreground, Background or Orphan. Returns the object where it is still terminating, None where
        the server says it is gone. Absent is NOT_FOUND, but not after an own try whose answer was lost.
        """
        if not uid or not resource_version:
            raise ValueError("a deletion needs the uid and the resourceVersion of the read that decided it")
        try:
            served = ask(
                self.connection,
                "delete",
                rt.identity(namespace, name),
                rt.plural,
                "DELETE",
                rt.path(namespace, name),
                query=_WRITE,
                body={
                    "kind": "DeleteOptions",
                    "apiVersion": "v1",
                    "propagationPolicy": propagation,
                    "preconditions": {"uid": uid, "resourceVersion": resource_version},
                },
                urgent=urgent,
            )
        except ApiError as error:
            if error.lost and error.cause is Cause.NOT_FOUND:
                return None
            raise
        value = served.value
        return typed(rt, value, False) if is_object(value, name) else None
