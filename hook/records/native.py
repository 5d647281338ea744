"""InstallerSets of our own: `installersets.io`, in the namespace of the component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from hook.cluster.answers import ApiError, Cause
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.errors import Unreachable
from hook.generations.installer_set import COMPONENT_LABEL, Fact, InstallerSet
from hook.manifests.identity import Object
from hook.records.conditions import Condition, merged
from hook.records.definition import Definition

_STATUS_TRIES = 5


class NativeRecords:
    """See `Records`. `namespace` is where the sets live."""

    def __init__(self, objects: Objects, definition: Definition, namespace: str, component: str) -> None:
        self._objects = objects
        self._definition = definition
        self._namespace = namespace
        self._component = component
        self._type: ResourceType | None = None

    def prepare(self) -> None:
        self._type = self._definition.ensure()

    def read(self) -> tuple[InstallerSet, ...]:
        found = self._type or self._definition.served()
        if found is None:
            return ()
        self._type = found
        listing = self._objects.list(found, self._namespace, label_selector=f"{COMPONENT_LABEL}={self._component}")
        sets = (InstallerSet.from_object(item) for item in listing.items)
        # The label only narrows the answer; what a set belongs to is what its spec says.
        return tuple(sorted((s for s in sets if s.component == self._component), key=lambda s: s.name))

    def create(self, wanted: InstallerSet) -> InstallerSet:
        try:
            return InstallerSet.from_object(self._objects.create(self._served(), wanted.to_object()))
        except ApiError as error:
            if error.cause is not Cause.ALREADY_EXISTS:
                raise
        live = self._objects.get(self._served(), self._namespace, wanted.name)
        current = InstallerSet.from_object(live)
        if (live["metadata"].get("labels") or {}).get(COMPONENT_LABEL) != self._component:
            # Somebody took the label off by which sets are found.
            return self.update(replace(current, component=self._component))
        return current

    def update(self, changed: InstallerSet) -> InstallerSet:
        return InstallerSet.from_object(self._objects.update(self._served(), changed.to_object()))

    def write_status(
        self, current: InstallerSet, conditions: tuple[Condition, ...], facts: Mapping[str, Fact] | None = None
    ) -> InstallerSet:
        for _ in range(_STATUS_TRIES):
            status = _status(current, conditions, facts)
            if status == current.status:
                return current
            body = {**current.to_object(), "status": status}
            try:
                return InstallerSet.from_object(self._objects.update(self._served(), body, subresource="status"))
            except ApiError as error:
                if error.cause is not Cause.STALE:
                    raise
            fresh = InstallerSet.from_object(self._objects.get(self._served(), self._namespace, current.name))
            if fresh.uid != current.uid:
                raise Unreachable(f"InstallerSet {self._namespace}/{current.name} was replaced by another; run again")
            current = fresh
        raise Unreachable(
            f"InstallerSet {self._namespace}/{current.name}: its status is changed by somebody all the time"
        )

    def delete(self, current: InstallerSet) -> None:
        try:
            self._objects.delete(
                self._served(),
                self._namespace,
                current.name,
                uid=current.uid,
                resource_version=current.resource_version,
                propagation="Background",
            )
        except ApiError as error:
            if error.cause is not Cause.NOT_FOUND:
                raise

    def _served(self) -> ResourceType:
        if self._type is None:
            self.prepare()
        assert self._type is not None  # noqa: S101  prepare() ends with a served type or raises
        return self._type


def _status(current: InstallerSet, conditions: tuple[Condition, ...], facts: Mapping[str, Fact] | None) -> Object:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    known = current.facts if facts is None else facts
    status: Object = {
        "observedGeneration": current.observed,
        "conditions": merged(current.status.get("conditions"), conditions, current.observed, now),
    }
    if known:
        status["facts"] = {
            key: {"uid": fact.uid, "generation": fact.generation, **({"complete": True} if fact.complete else {})}
            for key, fact in sorted(known.items())
        }
    return status
