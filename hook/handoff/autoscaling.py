"""Autoscaling: who sets the replicas of a workload, and how the number passes to them without a jump."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from hook.cluster.answers import ApiError, Cause
from hook.generations.replicas import AUTOSCALER, scale_targets
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object

_MANAGER = "handoff-replicas"  # holds the number until the autoscaler first writes it


class Autoscalers:
    """The autoscalers of the input, and those that live; each namespace is read once, when it is first asked about."""

    def __init__(self, session: Session, desired: Iterable[Object] = ()) -> None:
        self._session = session
        self._desired = scale_targets(desired)
        self._live: dict[str, dict[Identity, str]] = {}
        self._lock = threading.Lock()

    def of(self, identity: Identity) -> str:
        """The autoscaler of a workload as text, "" where there is none (or none can be seen)."""
        if identity in self._desired:
            return self._desired[identity]
        with self._lock:
            if identity.namespace not in self._live:
                self._live[identity.namespace] = self._read(identity.namespace)
            return self._live[identity.namespace].get(identity, "")

    def _read(self, namespace: str) -> dict[Identity, str]:
        found = self._session.type_of(AUTOSCALER)
        if found is None:
            return {}
        try:
            return scale_targets(self._session.objects.list(found, namespace).items)
        except ApiError as error:
            # Without the right to list them, what they have scaled still shows in the workload's managedFields.
            if error.cause is not Cause.FORBIDDEN:
                raise
            return {}


def hand_over_replicas(session: Session, identity: Identity, version: str, live: Object) -> Object:
    """Let another manager own the live number, so that it stays when our apply leaves it out; returns the metadata.

    `live` is the metadata that was decided on: an object that changed since answers with STALE.
    """
    found = session.require_type(identity.of_kind, version)
    whole = session.objects.get(found, identity.namespace, identity.name)
    metadata = {"name": identity.name, "namespace": identity.namespace, "uid": live["metadata"]["uid"]}
    body: Object = {
        "apiVersion": found.api_version,
        "kind": found.kind,
        "metadata": {**metadata, "resourceVersion": live["metadata"]["resourceVersion"]},
        "spec": {"replicas": whole["spec"]["replicas"]},
    }
    return session.objects.apply(found, body, _MANAGER, metadata_only=True).obj
