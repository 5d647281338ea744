"""The old sets' manifests, saved before they are touched: in one Secret, since there may be Secrets among them."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import replace

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.errors import Refused
from hook.generations.installer_set import COMPONENT_LABEL
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.rights.tekton import save_name
from hook.tekton.installer_set import TektonInstallerSet

_SECRET = Kind("", "Secret")
_LIMIT = 1_000_000  # bytes, of the 1 MiB that a Secret may hold
_TRIES = 5


class Save:
    """Keys are `<name of the set>.<uid>.json.gz`; the value is the list of its manifests. What is saved is never
    overwritten: a set that was stripped already must not take the place of the whole one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._name = save_name(session.component)

    def add(self, sets: Sequence[TektonInstallerSet]) -> None:
        """Save what is not saved yet. Raises Refused where that is more than a Secret can hold."""
        for _ in range(_TRIES):
            live = self._read()
            have = (live or {}).get("data") or {}
            new = {_key(one): _packed(one) for one in sets if one.manifests and _key(one) not in have}
            if not new:
                return
            data = {**have, **new}
            if sum(len(value) for value in data.values()) > _LIMIT:
                raise Refused(
                    f"the manifests of {', '.join(one.name for one in sets)} are too many to be saved in one Secret; "
                    "hand them over in several components"
                )
            try:
                self._write(live, data)
                return
            except ApiError as error:
                if error.cause not in (Cause.STALE, Cause.ALREADY_EXISTS, Cause.NOT_FOUND):
                    raise

    def inventory(self, one: TektonInstallerSet) -> dict[Identity, str]:
        """What it listed when it was saved: identity → version; {} where it was not."""
        packed = ((self._read() or {}).get("data") or {}).get(_key(one))
        if packed is None:
            return {}
        manifests: list[Object] = json.loads(gzip.decompress(base64.b64decode(packed)))
        return replace(one, manifests=tuple(manifests)).listed()

    def drop(self, name: str, uid: str) -> None:
        """Its set is gone; the Secret goes with the last one."""
        live = self._read()
        if live is None or f"{name}.{uid}.json.gz" not in (live.get("data") or {}):
            return
        left = {key: value for key, value in live["data"].items() if key != f"{name}.{uid}.json.gz"}
        if left:
            self._write(live, left)
            return
        metadata = live["metadata"]
        self._session.objects.delete(
            self._type(),
            self._session.namespace,
            self._name,
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            propagation="Background",
        )

    def _read(self) -> Object | None:
        try:
            return self._session.objects.get(self._type(), self._session.namespace, self._name)
        except ApiError as error:
            if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
                return None
            raise

    def _write(self, live: Object | None, data: Object) -> None:
        if live is not None:
            self._session.objects.update(self._type(), {**live, "data": data})
            return
        metadata = {
            "name": self._name,
            "namespace": self._session.namespace,
            "labels": {COMPONENT_LABEL: self._session.component},
        }
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}
        self._session.objects.create(self._type(), body)

    def _type(self) -> ResourceType:
        return self._session.require_type(_SECRET, "v1")


def _key(one: TektonInstallerSet) -> str:
    return f"{one.name}.{one.uid}.json.gz"


def _packed(one: TektonInstallerSet) -> str:
    text = json.dumps(list(one.manifests), separators=(",", ":"), ensure_ascii=False).encode()
    return base64.b64encode(gzip.compress(text, mtime=0)).decode()
