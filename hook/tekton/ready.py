"""Ready: what the operator says of the new sets, and what it alone does not tell.

Its Ready comes too early (it looks at an old status), and stays wrong for hours: no event tells it that a Deployment
became available, or that a ConfigMap is gone. So each resource is judged by the rules of any handoff first, this only
comes on top, and a set that is not Ready is touched, which makes the operator look again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hook.errors import Unreachable
from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet
from hook.generations.marks import API_GROUP
from hook.handoff.observation import observe
from hook.handoff.session import Session
from hook.tekton.installer_set import TektonInstallerSet
from hook.tekton.references import References
from hook.tekton.sets import TektonSets

TOUCHED = f"{API_GROUP}/touched"
_POLL = 0.5  # seconds
_STABLE = 1.0  # between two looks that find all well
_TOUCH = 5.0  # between two touches of a set that is not Ready


@dataclass(slots=True)
class Gate:
    session: Session
    sets: TektonSets
    references: References
    _touched: dict[str, float] = field(default_factory=dict)

    def wait(
        self, generation: Generation, desired: Sequence[InstallerSet], tell: Callable[[Sequence[str]], None]
    ) -> bool:
        """Return when each set is Ready and owns its resources; whether that took more than one look.

        Raises Unreachable where a set is gone, and the deadline's error naming what is not Ready.
        """
        waited = False
        well_since: float | None = None
        while True:
            lines = self._look(generation, desired)
            if lines:
                waited, well_since = True, None
                tell(lines)
                self.session.deadline.check(
                    "waiting for the Tekton operator, whose reconciler of TektonInstallerSets has to run", tuple(lines)
                )
            elif not waited:
                return False
            elif well_since is None:
                well_since = time.monotonic()
            elif time.monotonic() - well_since >= _STABLE:
                return True
            self.session.deadline.pause(_POLL)

    def _look(self, generation: Generation, desired: Sequence[InstallerSet]) -> list[str]:
        lines = []
        versions = {m.identity: m.version for m in generation.manifests}
        live = observe(self.session, (), versions).live
        for record in desired:
            if record.operator_set is None:
                continue
            found = self._standing(record)
            if found.ready != "True":
                lines.append(f"{found.identity}: {found.message or 'not looked at by the operator yet'}")
                self._touch(found)
            controller = found.as_controller()
            for entry in record.resources:
                obj = live.get(entry.identity)
                if obj is not None and not self.references.settled(entry.identity, obj["metadata"], controller):
                    lines.append(f"{entry.identity}: it is not owned by {found.identity} alone yet")
                    self.references.hand_over(entry.identity, versions[entry.identity], controller)
        return lines

    def _standing(self, record: InstallerSet) -> TektonInstallerSet:
        found = self.sets.get(record.name)
        if found is None or found.being_deleted:
            raise Unreachable(f"TektonInstallerSet {record.name} was deleted by somebody during the run; run again")
        return found

    def _touch(self, found: TektonInstallerSet) -> None:
        now = time.monotonic()
        if now - self._touched.get(found.uid, float("-inf")) < _TOUCH:
            return
        self._touched[found.uid] = now
        self.sets.mark(found, {}, {TOUCHED: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")})
