"""Prune: phase by phase, each decision from a live read, each DELETE on condition of that read."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from hook.cluster.answers import ApiError
from hook.errors import PruneIncomplete
from hook.generations.installer_set import InstallerSet, fact_key
from hook.handoff.claims import claims_of
from hook.handoff.containment import hold_up, read_contents
from hook.handoff.deletion import carry_out
from hook.handoff.live_reads import read_live
from hook.handoff.retention import close_records, retain
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate, merge
from hook.pruning.context import PruneContext
from hook.pruning.decision import decide
from hook.pruning.guards.containers import CONTAINERS
from hook.pruning.order import PrunePhase, phase_of, stages
from hook.pruning.reading import Forbidden, LiveRead, Present, Unknown

_POLL = 0.2  # seconds
# A deletion that somebody holds up is waited for so long before the rest goes on; never longer than this share of
# the time that is left, so that the rest gets its turn.
_STUCK = 60.0
_SHARE = 1 / 3


@dataclass(slots=True)
class Pruner:
    """Prunes what `retiring` sets list and any set retains.

    `living` are the successors: sets that do not retire. `desired` are the resources of the generation that they
    record: they count although somebody deletes or edits these sets meanwhile. `removing`: the component goes
    entirely, and has no successor.
    """

    session: Session
    retiring: tuple[InstallerSet, ...]
    living: tuple[InstallerSet, ...]
    desired: frozenset[Identity] = frozenset()
    removing: bool = False
    settled: dict[Identity, Decision] = field(default_factory=dict)
    incomplete: dict[Identity, str] = field(default_factory=dict)
    _serving: set[Identity] = field(default_factory=set)  # obsolete workloads whose pods may still be there
    _deleted: dict[Identity, str] = field(default_factory=dict)  # what this run has sent a DELETE for → uid

    def candidates(self) -> tuple[Candidate, ...]:
        """What may be pruned, from inventories alone."""
        found: list[Candidate] = []
        for one in self.retiring:
            facts = one.facts
            for entry in one.resources:
                fact = facts.get(fact_key(entry.identity))
                uid = fact.uid if fact else ""
                found.append(Candidate(entry.identity, entry.version, uid, (one.name,)))
        for one in (*self.retiring, *self.living):
            found += [Candidate(e.identity, e.version, "", (one.name,), retained=True) for e in one.retained]
        return merge(found)

    def plan(self) -> tuple[Decision, ...]:
        """What a prune would decide now; nothing is written."""
        candidates = self.candidates()
        reads = self._read(candidates)
        context = self._context(candidates, reads)
        return tuple(decide(c, reads[c.identity], context) for c in candidates)

    def run(self, phases: Collection[PrunePhase]) -> None:
        """Prune the candidates of these phases and wait until they are gone, or known to be stuck.

        Raises PruneIncomplete when the time is over; what is left is in `incomplete`.
        """
        chosen = [c for c in self.candidates() if phase_of(c.identity) in phases and c.identity not in self.settled]
        by_identity = {c.identity: c for c in chosen}
        for stage in stages(by_identity):
            self._stage([by_identity[identity] for identity in stage.members])

    def holds(self, phase: PrunePhase) -> bool:
        """Whether something of this phase is neither gone nor settled."""
        return any(phase_of(identity) is phase for identity in self.incomplete)

    def still_serves(self) -> bool:
        """Whether an obsolete workload is left whose pods may run, and need what the old generation had."""
        return bool(self._serving)

    def would_go(self, phase: PrunePhase) -> bool:
        """Whether something of this phase is to be deleted now."""
        going = (Action.DELETE, Action.WAIT)
        return any(d.action in going and phase_of(d.identity) is phase for d in self.plan())

    def postpone(self, why: str) -> None:
        """Keep everything that is not settled yet recorded for the next run."""
        for candidate in self.candidates():
            if candidate.identity not in self.settled and candidate.identity not in self.incomplete:
                self._miss(candidate.identity, why)

    def close(self) -> None:
        """Delete each retiring set of which nothing is left, and rewrite the others to what is."""
        done = {identity for identity in self.settled if identity not in self.incomplete}
        kept = {identity for identity in done if self.settled[identity].action is Action.RETAIN}
        for identity, why in close_records(self.session, self.retiring, done, kept).items():
            self._miss(identity, why)

    def shortfall(self, why: str = "") -> PruneIncomplete:
        """The error that says what is left; `why` is a reason that concerns all of it."""
        return PruneIncomplete(
            f"{why}{len(self.incomplete)} obsolete resources are still there, and stay recorded; run again",
            [f"{identity}: {text}" for identity, text in sorted(self.incomplete.items())],
        )

    def _stage(self, members: Sequence[Candidate]) -> None:
        waiting: dict[Identity, Candidate] = {c.identity: c for c in members}
        started = time.monotonic()
        patience = min(_STUCK, self.session.deadline.remaining() * _SHARE)
        while waiting:
            reads = self._read(waiting.values())
            context = self._context(self.candidates(), reads)
            decisions = [self._decide(c, reads[c.identity], context) for c in waiting.values()]
            self._retain([d for d in decisions if d.action is Action.RETAIN])
            late = time.monotonic() - started > patience
            for decision in self.session.parallel(self._act, decisions):
                if decision.action in (Action.DELETE, Action.WAIT, Action.DEFER):
                    why = self._stuck(decision, reads[decision.identity]) if late else ""
                    if not why:
                        continue
                    self._miss(decision.identity, why)
                    self._note_serving(decision.identity, reads[decision.identity])
                else:
                    self._settle(decision, reads[decision.identity])
                waiting.pop(decision.identity)
            if waiting:
                self._wait(waiting, reads)

    def _wait(self, waiting: Collection[Identity], reads: dict[Identity, LiveRead]) -> None:
        if self.session.deadline.remaining() > 0:
            self.session.deadline.pause(_POLL)
            return
        for identity in waiting:
            self._miss(identity, self._held(identity, reads[identity]) or "not gone when the time limit was reached")
        self.postpone("the time limit was reached before its turn")
        raise self.shortfall("the time limit was reached while pruning: ")

    def _decide(self, candidate: Candidate, live: LiveRead, context: PruneContext) -> Decision:
        decision = decide(candidate, live, context)
        before = self._deleted.get(candidate.identity)
        if before and decision.action is Action.DELETE and decision.uid != before and not self._lags(live):
            # Gone, as far as our DELETE is concerned. To delete what somebody puts there again would be a fight.
            why = f"somebody has created it again since it was deleted (uid {decision.uid})"
            return Decision(Action.UNKNOWN, candidate.identity, why, version=decision.version)
        return decision

    def _lags(self, live: LiveRead) -> bool:
        """Whether the operator made it again, which had not seen yet that its set keeps nothing any more."""
        return isinstance(live, Present) and self.session.operator.predecessors.keep(live.metadata)

    def _act(self, decision: Decision) -> Decision:
        claims = claims_of(self.session, decision)
        outcome = carry_out(self.session, decision)
        if outcome.action is Action.DELETE:
            self._deleted[outcome.identity] = outcome.uid
            for note in outcome.notes:
                self.session.journal.note("warnings", outcome.identity, note)
            for told, claim, why in claims:
                self.session.journal.note(told, claim, why)
        return outcome

    def _settle(self, decision: Decision, live: LiveRead) -> None:
        journal, identity = self.session.journal, decision.identity
        self.settled[identity] = decision
        if decision.action in (Action.RETAIN, Action.GIVE_UP, Action.FOREIGN):
            self.session.operator.let_go(identity, decision.version)
        if decision.action.incomplete:
            self._miss(identity, decision.reason)
            self._note_serving(identity, live)
        elif decision.action is Action.GONE:
            if identity in self._deleted:
                journal.note("pruned", identity)
                journal.count("pruned", identity)
        elif decision.action is Action.GIVE_UP:
            journal.note("kept" if decision.by_rule else "handedOver", identity, decision.reason)
        elif decision.action is Action.FOREIGN:
            journal.note("foreign", identity, decision.reason)
        elif decision.action in (Action.RETAIN, Action.RENAMED):
            journal.note("kept", identity, decision.reason)

    def _miss(self, identity: Identity, why: str) -> None:
        self.incomplete[identity] = why
        self.session.journal.note("incomplete", identity, why)

    def _note_serving(self, identity: Identity, live: LiveRead) -> None:
        """With foreground deletion a workload's pods are gone when that finalizer is, whoever else holds it."""
        if phase_of(identity) is not PrunePhase.WORKLOADS:
            return
        metadata = live.metadata if isinstance(live, Present) else {}
        if not metadata.get("deletionTimestamp") or "foregroundDeletion" in (metadata.get("finalizers") or ()):
            self._serving.add(identity)

    def _stuck(self, decision: Decision, live: LiveRead) -> str:
        """Who holds a deletion up that was waited for long enough; "" while it is still to be waited for."""
        if decision.action is Action.DEFER:
            return decision.reason
        return self._held(decision.identity, live)

    def _held(self, identity: Identity, live: LiveRead) -> str:
        if not isinstance(live, Present) or not live.metadata.get("deletionTimestamp"):
            return ""
        return "; ".join(hold_up(self.session, identity, live))

    def _read(self, candidates: Iterable[Candidate]) -> dict[Identity, LiveRead]:
        listed = list(candidates)
        reads = self.session.parallel(lambda c: read_live(self.session, c.identity, c.version), listed)
        return {c.identity: read for c, read in zip(listed, reads, strict=True)}

    def _context(self, candidates: Sequence[Candidate], reads: dict[Identity, LiveRead]) -> PruneContext:
        session = self.session
        successors = self.desired | {e.identity for one in self.living for e in one.resources}
        uids = {fact.uid: identity for identity, fact in session.facts.items() if identity in successors}
        kinds = frozenset(session.settings.prune_kind)
        unknown = {i.group for i, read in reads.items() if isinstance(read, Unknown | Forbidden)}
        unknown |= {i.group for i, decision in self.settled.items() if decision.action.incomplete}
        containers = [i for i, read in reads.items() if i.of_kind in CONTAINERS and i.kind in kinds and _stands(read)]
        going = {c.identity for c in candidates} - set(self.incomplete) - self._kept()
        return PruneContext(
            component=session.component,
            namespace=session.namespace,
            successors=frozenset(successors),
            successor_uids=uids,
            successors_unread=frozenset(successors - set(session.facts) - session.absent),
            prune_kinds=kinds,
            removing=self.removing,
            unknown_groups=frozenset(unknown | session.discovery.stale_groups if containers else unknown),
            predecessors=session.operator.predecessors,
            elsewhere=session.operator.elsewhere,
            contents=read_contents(session, containers, going, set(self._deleted.values())),
        )

    def _kept(self) -> set[Identity]:
        staying = (Action.RETAIN, Action.GIVE_UP, Action.FOREIGN, Action.KEEP)
        return {i for i, d in self.settled.items() if d.action in staying}

    def _retain(self, decisions: Sequence[Decision]) -> None:
        """Write what is kept by rule to a living set, before its line can leave the old record."""
        if decisions and not self.removing:
            try:
                self.living = retain(self.session, self.living, decisions)
            except ApiError as error:
                raise self.shortfall(f"what is kept could not be recorded ({error.message}): ") from error


def _stands(live: LiveRead) -> bool:
    return isinstance(live, Present) and not live.metadata.get("deletionTimestamp")
