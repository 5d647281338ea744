"""What the operator's own sets listed, saved before they are touched: Git does not have it, and a way back needs it.

In one Secret, since there may be Secrets among the manifests; a run reads it as its source (`secret://NAMESPACE/NAME`).
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import SECRET
from hook.errors import Refused
from hook.generations.installer_set import COMPONENT_LABEL
from hook.handoff.session import Session
from hook.manifests.identity import Object
from hook.rights.tekton import save_name
from hook.tekton.installer_set import TektonInstallerSet, identity_of

_LIMIT = 1_000_000  # bytes, of the 1 MiB that a Secret may hold
_TRIES = 5


class Save:
    """Keys are `<name of the set>.<uid>.json.gz`. What is saved is never overwritten: a set that was stripped already
    must not take the place of the whole one."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._name = save_name(session.component)

    def add(self, sets: Sequence[TektonInstallerSet]) -> None:
        """Save what is not saved yet of sets that no run has made.

        Raises Refused where that is more than a Secret can hold.
        """
        for _ in range(_TRIES):
            live = self._read()
            have = (live or {}).get("data") or {}
            own = [one for one in sets if one.manifests and COMPONENT_LABEL not in one.labels]
            new = {_key(one): _packed(one) for one in own if _key(one) not in have}
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
            SECRET,
            self._session.namespace,
            self._name,
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            propagation="Background",
        )

    def _read(self) -> Object | None:
        try:
            return self._session.objects.get(SECRET, self._session.namespace, self._name)
        except ApiError as error:
            if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
                return None
            raise

    def _write(self, live: Object | None, data: Object) -> None:
        if live is not None:
            self._session.objects.update(SECRET, {**live, "data": data})
            return
        metadata = {
            "name": self._name,
            "namespace": self._session.namespace,
            "labels": {COMPONENT_LABEL: self._session.component},
        }
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}
        self._session.objects.create(SECRET, body)


def _key(one: TektonInstallerSet) -> str:
    return f"{one.name}.{one.uid}.json.gz"


def _packed(one: TektonInstallerSet) -> str:
    # The operator may list an object twice, and applies the last; a source with two is refused.
    items = list({identity_of(obj): obj for obj in one.manifests if identity_of(obj) is not None}.values())
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
