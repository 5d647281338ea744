"""Gates: what must be so before a wave may start, or after it is written."""

from __future__ import annotations

import time
from functools import partial

from hook.generations.generation import Generation
from hook.handoff.bulletin import Bulletin
from hook.handoff.definitions import CRD
from hook.handoff.planning import Planner
from hook.handoff.related import LiveRelated
from hook.handoff.session import Session
from hook.handoff.switching import Switches
from hook.handoff.waiting import Condition, Waiter
from hook.manifests.manifest import Manifest
from hook.manifests.references import called_services
from hook.manifests.waves import Wave, served_by
from hook.readiness.rules import Rules

_LONGEST_PAUSE = 2.0  # seconds between two looks at discovery


class Gates:
    """Waiting at a gate is as any other: it is told what for, and what has failed for good ends it."""

    def __init__(
        self, session: Session, planner: Planner, generation: Generation, rules: Rules, bulletin: Bulletin
    ) -> None:
        self._session = session
        self._generation = generation
        self._switches = Switches(session, planner.observation, generation.manifests)
        self._waiter = Waiter(session, generation, self._switches, rules, bulletin)

    def before(self, wave: Wave, manifests: list[Manifest]) -> list[Manifest]:
        """Wait until what these manifests call answers: an API or webhook without endpoints refuses everybody."""
        if wave in (Wave.API_SERVICES, Wave.WEBHOOKS):
            for manifest in manifests:
                for namespace, service in called_services(manifest.obj):
                    self._wait(
                        partial(_answers, namespace, service),
                        f"{manifest.identity}: Service {namespace}/{service} has no ready endpoint",
                    )
        return manifests

    def after(self, wave: Wave, manifests: list[Manifest]) -> None:
        """Wait until new kinds are served, so that their resources can be applied."""
        if wave is Wave.NAMESPACES:
            self._served([served_by(m.obj) for m in manifests if m.identity.of_kind == CRD])
        elif wave is Wave.API_SERVICES and self._serves_what_is_desired():
            for manifest in manifests:
                spec = manifest.obj["spec"]
                group, version = str(spec.get("group", "")), str(spec.get("version", ""))
                look = _Discovered(self._session, group, version)
                self._wait(look, f"{manifest.identity} does not serve {group}/{version}")

    def look_again(self) -> None:
        """While something is tried again: Services go over to new pods, and what has failed for good ends it."""
        self._switches.switch()
        self._waiter.glance()

    def _serves_what_is_desired(self) -> bool:
        return any(self._session.type_of(m.identity.of_kind, m.version) is None for m in self._generation.manifests)

    def _served(self, kinds: list[tuple[str, str, tuple[str, ...]]]) -> None:
        """`kinds` are (group, kind, served versions) of the input's CRDs."""
        for group, kind, versions in kinds:
            for version in versions:
                look = _Discovered(self._session, group, version, kind)
                self._wait(look, f"CustomResourceDefinition of {kind}.{group} is not served at {version}")

    def _wait(self, condition: Condition, what: str) -> None:
        # Most gates are open, and then nothing has to be watched.
        if not condition(LiveRelated(self._session, {})):
            self._waiter.until(condition, what)


class _Discovered:
    """Whether a version, or a kind of it, is served. Nothing announces that: it is asked for, ever more seldom."""

    def __init__(self, session: Session, group: str, version: str, kind: str | None = None) -> None:
        self._session = session
        self._sought = (group, version, kind)
        self._started = time.monotonic()
        self._asked_at = float("-inf")

    def __call__(self, related: LiveRelated) -> bool:
        if self._found():
            return True
        now = time.monotonic()
        if now - self._asked_at < min((now - self._started) / 10, _LONGEST_PAUSE):
            return False
        self._asked_at = now
        self._session.refresh_discovery()
        return self._found()

    def _found(self) -> bool:
        group, version, kind = self._sought
        if kind is not None:
            return self._session.discovery.served(group, version, kind)
        return self._session.discovery.serves(group, version)


def _answers(namespace: str, service: str, related: LiveRelated) -> bool:
    return bool(related.ready_endpoints(namespace, service))
