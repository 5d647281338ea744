"""Verdicts: what each watched resource of the desired generation has come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hook.errors import Unreachable, WorkloadFailed
from hook.generations.installer_set import Fact
from hook.handoff.bulletin import Bulletin
from hook.handoff.obstacles import Obstacle
from hook.handoff.planning import JOB
from hook.handoff.pod_causes import PodCauses
from hook.handoff.related import LiveRelated, NotTold
from hook.handoff.session import Session
from hook.handoff.watches import Watches
from hook.manifests.identity import Identity, Object
from hook.readiness.assess import assess
from hook.readiness.rules import Rules
from hook.readiness.state import Readiness, State

_EXPLAINED = 5  # workloads whose pods are looked at, of those that are not ready


class Verdicts:
    """A status counts only for the uid and generation that our apply returned, or that was found unchanged."""

    def __init__(
        self,
        session: Session,
        manifests: Mapping[Identity, Object],
        rules: Rules,
        related: LiveRelated,
        bulletin: Bulletin,
    ) -> None:
        self._session = session
        self._manifests = manifests
        self._rules = rules
        self._related = related
        self._causes = PodCauses(session, related)
        self._bulletin = bulletin
        self._verdicts: dict[Identity, Readiness] = {}

    def look(self, watches: Watches, identities: Iterable[Identity]) -> None:
        """Judge these by what the watches saw last. Raises Unreachable for what somebody deleted or replaced."""
        for identity in identities:
            obj = watches.get(identity)
            if obj is None and identity.of_kind == JOB:
                self._complete_if_gone(identity, watches.last(identity))
            self.put(identity, self.judge(identity, obj))

    def judge(self, identity: Identity, obj: Object | None, related: LiveRelated | None = None) -> Readiness:
        """The verdict on one object as it was read (None: it is not there). Raises as `look`."""
        fact = self._session.facts.get(identity)
        if obj is None:
            if fact is not None and fact.complete and identity.of_kind == JOB:
                return Readiness(State.CURRENT, "completed, and cleaned up since")
            raise Unreachable(f"{identity} was deleted by somebody during the run; run again")
        metadata = obj["metadata"]
        if fact is not None:
            if metadata["uid"] != fact.uid:
                raise Unreachable(f"{identity} was replaced by somebody during the run; run again")
            if metadata.get("generation", 0) < fact.generation:
                return Readiness(State.IN_PROGRESS, "our apply is not seen yet")
        try:
            verdict = assess(obj, related or self._related, manifest=self._manifests[identity], rules=self._rules)
        except NotTold as unknown:
            return Readiness(State.UNKNOWN, f"what it depends on could not be looked at: {unknown}")
        if verdict.ready:
            if verdict.warning:
                self._session.journal.note("warnings", identity, verdict.warning)
            if identity.of_kind == JOB:
                self._remember(obj, identity)
        return verdict

    def put(self, identity: Identity, verdict: Readiness) -> None:
        self._verdicts[identity] = verdict
        if verdict.ready:
            self._bulletin.is_ready(identity)
        else:
            self._bulletin.since(identity)

    def open(self) -> list[Identity]:
        """What is not ready, in order."""
        return sorted(identity for identity, verdict in self._verdicts.items() if not verdict.ready)

    def obstacles(self, *, now: bool = False) -> list[Obstacle]:
        """What is not ready; pods of workloads are looked at, with `now` for this call."""
        explained = 0
        found = []
        for identity in self.open():
            verdict, cause = self._verdicts[identity], None
            if explained < _EXPLAINED:
                cause = self._causes.first(identity, self._manifests[identity], now=now)
                explained += cause is not None
            since = self._bulletin.since(identity)
            found.append(Obstacle(str(identity), verdict.state, verdict.reason, since, verdict.waiting_for, cause))
        return found

    def end_if_hopeless(self) -> None:
        """Raises WorkloadFailed, at once, if something has failed for good or is blocked until somebody acts."""
        final = [identity for identity in self.open() if self._verdicts[identity].final]
        if not final:
            return
        obstacles = self.obstacles(now=True)
        names = {str(identity) for identity in final}
        lines = [str(one) for one in obstacles if one.subject in names]
        rest = [str(one) for one in obstacles if one.subject not in names]
        kept = "" if self._session.deadline.retirement_began else "; the old generation was not retired"
        raise WorkloadFailed(f"{lines[0]}{kept}", (*lines[1:], *rest))

    def _complete_if_gone(self, identity: Identity, last: Object | None) -> None:
        """A Job whose time to live is short may go in the moment in which it completes."""
        fact = self._session.facts.get(identity)
        if last is not None and fact is not None and last["metadata"]["uid"] == fact.uid:
            self._remember(last, identity)

    def _remember(self, job: Object, identity: Identity) -> None:
        metadata = job["metadata"]
        fact = self._session.facts.get(identity)
        done = _completed(job) or (fact is not None and fact.uid == metadata["uid"] and fact.complete)
        self._session.facts[identity] = Fact(metadata["uid"], metadata.get("generation", 0), done)


def _completed(job: Object) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or []
    return any(c.get("type") == "Complete" and c.get("status") == "True" for c in conditions)
