"""Switch: a Service whose selector changes goes over to the new pods when one of them is Ready."""

from __future__ import annotations

from collections.abc import Mapping

from hook.generations.body import body_of
from hook.generations.carry_over import carry_over
from hook.generations.installer_set import Fact
from hook.generations.marks import CARRY_SEPARATOR, applied_annotation
from hook.handoff.observation import Observation
from hook.handoff.session import Session
from hook.handoff.watches import Scope, Watches
from hook.manifests.identity import Identity, Kind
from hook.manifests.manifest import Manifest
from hook.readiness.endpoints import is_ready_pod

SERVICE = Kind("", "Service")
_POD = Kind("", "Pod")


class Switches:
    """The Services of a generation that still select the old pods."""

    def __init__(self, session: Session, observation: Observation, manifests: tuple[Manifest, ...]) -> None:
        self._session = session
        self._observation = observation
        self._open: dict[Identity, Manifest] | None = None
        self._services = [m for m in manifests if m.identity.of_kind == SERVICE]

    def pending(self) -> tuple[Identity, ...]:
        """Services that wait for a Ready pod behind their new selector."""
        return tuple(self._find())

    def follow(self, watches: Watches) -> None:
        """Have the pods watched that these Services are to go to."""
        for identity, manifest in self._find().items():
            if selector := _selector(manifest):
                watches.follow(self._scope(identity.namespace, selector))

    def switch(self, watches: Watches | None = None) -> None:
        """Switch each Service that has a Ready pod to go to; what else is carried along stays.

        Pods are those that `watches` follow, or are read.
        """
        for identity, manifest in list(self._find().items()):
            selector = _selector(manifest)
            if selector and self._has_ready_pod(self._scope(identity.namespace, selector), watches):
                self._apply(manifest)
                self._find().pop(identity)

    def _find(self) -> dict[Identity, Manifest]:
        if self._open is None:
            self._open = {}
            for manifest in self._services:
                live = self._observation.live.get(manifest.identity)
                if live is None:
                    continue
                key = applied_annotation(self._session.component)
                if CARRY_SEPARATOR not in (live["metadata"].get("annotations") or {}).get(key, ""):
                    continue
                found = self._session.require_type(SERVICE, "v1")
                whole = self._session.objects.get(found, manifest.identity.namespace, manifest.identity.name)
                if (whole["spec"].get("selector") or {}) != (manifest.obj["spec"].get("selector") or {}):
                    self._open[manifest.identity] = manifest
        return self._open

    def _scope(self, namespace: str, selector: Mapping[str, str]) -> Scope:
        chosen = ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
        return Scope(self._session.require_type(_POD, "v1"), namespace, chosen)

    def _has_ready_pod(self, scope: Scope, watches: Watches | None) -> bool:
        if watches is not None:
            pods = watches.items(scope) or []
        else:
            pods = self._session.objects.list(scope.type, scope.namespace, label_selector=scope.labels).items
        return any(is_ready_pod(pod) for pod in pods)

    def _apply(self, manifest: Manifest) -> None:
        session, identity = self._session, manifest.identity
        found = session.require_type(SERVICE, "v1")
        whole = session.objects.get(found, identity.namespace, identity.name)
        carried = carry_over(manifest.obj, whole, session.manager, switch=True)
        body = body_of(carried.obj, session.component, session.namespace, manifest.obj, carried.digest)
        body["metadata"]["uid"] = whole["metadata"]["uid"]
        answer = session.objects.apply(found, body, session.manager, metadata_only=True).obj
        self._observation.live[identity] = answer
        session.facts[identity] = Fact(answer["metadata"]["uid"], answer["metadata"].get("generation", 0))
        session.journal.note("carried", identity, "selector switched to the new pods, the first of which is Ready")


def _selector(manifest: Manifest) -> Mapping[str, str]:
    selector: Mapping[str, str] = manifest.obj["spec"].get("selector") or {}
    return selector
