"""One run, top to bottom.

Level-based: every run looks at the desired input and the live cluster, never at what an earlier run did. It may be
skipped, killed, started twice, or started again for an older revision, and converges all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from hook.errors import (
    HandoffError,
    LockedError,
    PruneIncomplete,
    Refused,
    RightsMissing,
    Terminated,
    TimeLimit,
    WorkloadFailed,
)
from hook.generations.body import carries_along
from hook.generations.generation import Generation
from hook.generations.installer_set import REMOVED, Fact, InstallerSet, SetReference, fact_key
from hook.generations.sharding import desired_sets
from hook.handoff.application import Application
from hook.handoff.bulletin import Bulletin
from hook.handoff.events import NORMAL, WARNING
from hook.handoff.observation import Observation, observe
from hook.handoff.obsolete import check_limit, obsolete
from hook.handoff.planning import Act, Step
from hook.handoff.preparation import prepare
from hook.handoff.pruning import Pruner
from hook.handoff.recording import record
from hook.handoff.retirement import retire
from hook.handoff.scope import placed
from hook.handoff.session import Session
from hook.handoff.settlement import settle
from hook.handoff.switching import Switches
from hook.handoff.waiting import Waiter
from hook.manifests.parts import Part
from hook.readiness.rules import Rules
from hook.records.conditions import Condition, applying, interrupted, ready, stalled, waiting
from hook.report.journal import COUNTS

_LAST_WORDS = 1.5  # seconds for the sets' status; the Lease needs some too


@dataclass(slots=True)
class Handoff:
    """One run on one generation."""

    session: Session
    generation: Generation
    rules: Rules
    _bulletin: Bulletin = field(init=False)
    _standing: tuple[InstallerSet, ...] = ()  # the desired sets as they were last written
    _applied: bool = False

    def __post_init__(self) -> None:
        self._bulletin = Bulletin(self.session.journal, self._tell_waiting)

    def run(self) -> None:
        """Bring the desired generation up beside the current one, then retire and prune that one."""
        desired, observation = self.bring_up()
        self.hand_over(desired, observation)

    def pre_sync(self) -> None:
        """Everything up to Ready; the old generation is not touched."""
        self.bring_up()

    def post_sync(self) -> None:
        """What is left after `pre_sync`; proves again that the generation is recorded and Ready."""
        session = self.session
        with session.journal.phase("observe"):
            sets = session.records.read()
            self.generation = placed(session, self.generation)
            sets = session.operator.survey(self.generation, sets)
            desired = self._recorded(sets)
            check_limit(session.settings, obsolete(self.generation, sets, session.settings.prune_kind), sets)
            observation = observe(session, sets, {m.identity: m.version for m in self.generation.manifests})
            self._take_facts(observation, desired)
            self._standing, self._applied = desired, True
        with session.journal.phase("wait"):
            desired = self._wait(desired, observation)
        self.hand_over(desired, observation)

    def bring_up(self) -> tuple[tuple[InstallerSet, ...], Observation]:
        """Observe, preflight, record, apply, wait. Returns the desired sets, Ready, and what was observed."""
        session = self.session
        prepared = prepare(session, self.generation)
        self.generation, observation = prepared.generation, prepared.observation
        planner, steps = prepared.planner, prepared.steps
        with session.journal.phase("record"):
            adopted = {step.identity for step in steps if step.adopts}
            observation.sets = session.operator.record(observation.sets)
            desired = record(session, self.generation, observation.sets, adopted)
            names = {one.name for one in desired}
            session.operator.release(self.generation, [one for one in observation.sets if one.name not in names])
            planner.adopted = {e.identity for one in desired for e in one.resources if e.adopted}
            self._standing = desired
        with session.journal.phase("apply"), self._telling_the_end():
            if len(steps) < len(self.generation.manifests) or any(_writes(step) for step in steps):
                self._tell(desired, applying())
            Application(session, planner, self.generation, steps, self.rules, self._bulletin).run()
            session.operator.install(self.generation, desired, planner.observation.live)
            self._applied = True
            self._announce(desired, "Applied")
        with session.journal.phase("wait"):
            desired = self._wait(desired, observation)
        return desired, observation

    def hand_over(self, desired: tuple[InstallerSet, ...], observation: Observation) -> None:
        """Retire what the record names, settle and prune.

        From the first retirement on the desired generation serves: whatever fails then leaves the rest to the next run.
        """
        try:
            self._hand_over(desired, observation)
        except (Terminated, LockedError):
            raise
        except PruneIncomplete as error:
            self._tell_incomplete(error)
            raise
        except HandoffError as error:
            if not self.session.deadline.retirement_began:
                raise
            incomplete = PruneIncomplete(f"after retirement began: {error.message}", error.details)
            self._tell_incomplete(incomplete)
            raise incomplete from error

    def _tell_incomplete(self, error: PruneIncomplete) -> None:
        with suppress(HandoffError):
            self.session.events.tell(_first(self._standing), WARNING, "PruneIncomplete", str(error))

    def _hand_over(self, desired: tuple[InstallerSet, ...], observation: Observation) -> None:
        session = self.session
        # Whatever a record says that somebody edited, the desired generation does not retire itself.
        named = {old for one in desired for old in one.replaces} - {one.reference for one in desired}
        with session.journal.phase("retire"):
            retired = retire(session, named, self.generation.digest)
            session.operator.park(retired)
        with session.journal.phase("prune"):
            pruner = _pruner(session, named, self.generation)
            inexact = bool(retired) or self._carries_or_adopts(desired, observation)
            exact = self.generation if inexact else None
            _prune(session, exact, pruner, lambda: self._wait(desired, observation))
            if session.operator.present and (retired or self._has_changed()):
                self._wait(desired, observation)  # what was deleted must have taken nothing along
            session.operator.finish(desired)
            desired = self._tell(self._still_recorded(), ready())
        self._announce(desired, "HandoffComplete")

    def _carries_or_adopts(self, desired: Collection[InstallerSet], observation: Observation) -> bool:
        """Whether an exact apply is due although no set retires: a run was killed, a set lost, something adopted."""
        session = self.session
        carried = any(
            carries_along(manifest.obj, live, session.component, session.namespace)
            for manifest in self.generation.manifests
            if (live := observation.live.get(manifest.identity)) is not None
        )
        return carried or any(entry.adopted for one in desired for entry in one.resources)

    def _still_recorded(self) -> tuple[InstallerSet, ...]:
        try:
            return self._recorded(self.session.records.read())
        except Refused as error:
            raise HandoffError(
                f"{error.message.partition(':')[0]} was deleted or edited by somebody; run again"
            ) from error

    def _wait(self, desired: tuple[InstallerSet, ...], observation: Observation) -> tuple[InstallerSet, ...]:
        """Wait until all is Ready; what was learnt stands in the sets' status, however it ends."""
        session = self.session
        switches = Switches(session, observation, self.generation.manifests)
        # Two reads guard a retirement; where nothing was written and nothing is to go, one tells as much.
        others = {one.reference for one in observation.sets}
        twice = bool(session.journal.written) or any(old in others for one in desired for old in one.replaces)
        waiter = Waiter(session, self.generation, switches, self.rules, self._bulletin, twice)
        with self._telling_the_end():
            waiter.wait()
            while session.operator.await_ready(self.generation, desired, self._tell_operator):
                waiter.wait()
        return self._tell(self._standing, ready(), with_facts=True)

    @contextmanager
    def _telling_the_end(self) -> Iterator[None]:
        """Why waiting has ended without success stands in the sets' status and in an Event."""
        try:
            yield
        except TimeLimit as error:
            self._tell_waiting("; ".join((error.message, *error.details)))
            self.session.events.tell(_first(self._standing), WARNING, "NotReadyInTime", str(error))
            raise
        except WorkloadFailed as error:
            told = "; ".join((error.message, *error.details))
            self._tell(self._standing, stalled("WorkloadFailed", told, applied=self._applied), with_facts=True)
            self.session.events.tell(_first(self._standing), WARNING, "WorkloadFailed", str(error))
            raise
        except Terminated as error:
            self._tell_interruption(error.message)
            raise
        except (LockedError, PruneIncomplete):
            raise  # what others hold is not written to; an incomplete prune is told where it ends
        except HandoffError as error:
            self._tell_failure(error)
            raise

    def _tell_interruption(self, why: str) -> None:
        """The last words before the Lease is given back; a generation that was Ready before stays so."""
        session = self.session
        with suppress(HandoffError), session.objects.connection.last_words(_LAST_WORDS):
            for one in self._standing:
                if not one.is_ready:
                    session.records.write_status(one, interrupted("Interrupted", why, applied=self._applied))

    def _tell_failure(self, error: HandoffError) -> None:
        """As far as that can be told: what has failed may be the API server itself."""
        told = "; ".join((error.message, *error.details))
        lasting = isinstance(error, Refused | RightsMissing)
        conditions = (stalled if lasting else interrupted)("Failed", told, applied=self._applied)
        with suppress(HandoffError):
            self._tell(self._standing, conditions, with_facts=True)
            self.session.events.tell(_first(self._standing), WARNING, "Failed", str(error))

    def _tell_waiting(self, message: str) -> None:
        self._tell(self._standing, waiting(message, applied=self._applied), with_facts=True)

    def _tell_operator(self, lines: Sequence[str]) -> None:
        self._bulletin.post([], lines)

    def _announce(self, desired: tuple[InstallerSet, ...], reason: str) -> None:
        """An Event with the counts so far; a run that changed nothing says nothing."""
        counts = self.session.journal.counts
        if self._has_changed():
            told = ", ".join(f"{counts[name]} {name}" for name in COUNTS)
            self.session.events.tell(_first(desired), NORMAL, reason, f"{self.generation.version} {told}".strip())

    def _has_changed(self) -> bool:
        return any(self.session.journal.counts[name] for name in ("created", "changed", "pruned"))

    def _tell(
        self, desired: tuple[InstallerSet, ...], conditions: tuple[Condition, ...], *, with_facts: bool = False
    ) -> tuple[InstallerSet, ...]:
        """Write the sets' status; nothing is sent where nothing would change."""
        facts = {fact_key(identity): fact for identity, fact in self.session.facts.items()}

        def write(one: InstallerSet) -> InstallerSet:
            keys = {fact_key(entry.identity) for entry in one.resources}
            own = {**one.facts, **{key: fact for key, fact in facts.items() if key in keys}} if with_facts else None
            return self.session.records.write_status(one, conditions, own)

        self._standing = tuple(self.session.parallel(write, desired))
        return self._standing

    def _recorded(self, sets: Collection[InstallerSet]) -> tuple[InstallerSet, ...]:
        """The desired sets as they stand; raises Refused where one is missing, incomplete or retiring."""
        by_name = {one.name: one for one in sets}
        found = []
        for wanted in desired_sets(self.generation, self.session.namespace):
            one = by_name.get(wanted.name)
            listed = {entry.identity for entry in one.resources} if one else set()
            if (
                one is None
                or one.retiring
                or one.digest != wanted.digest
                or listed < {entry.identity for entry in wanted.resources}
            ):
                raise Refused(
                    f"InstallerSet {wanted.namespace}/{wanted.name}: generation {self.generation.short} is not "
                    "recorded as the living one; run pre-sync (or run) with this input first"
                )
            found.append(one)
        return tuple(found)

    def _take_facts(self, observation: Observation, desired: Collection[InstallerSet]) -> None:
        """Facts of what an earlier run applied: the live uid and generation, or a Job's recorded completion."""
        recorded = {key: fact for one in desired for key, fact in one.facts.items()}
        for manifest in self.generation.manifests:
            identity = manifest.identity
            live = observation.live.get(identity)
            fact = recorded.get(fact_key(identity))
            if live is not None:
                metadata = live["metadata"]
                self.session.facts[identity] = Fact(metadata["uid"], metadata.get("generation", 0))
            elif fact is not None and fact.complete:
                self.session.absent.add(identity)


def remove(session: Session) -> None:
    """Retire every set of the component and prune everything that they list, in the order of any other prune."""
    with session.journal.phase("retire"):
        sets = session.operator.record(session.operator.survey(None, session.records.read()))
        named = {one.reference for one in sets}
        session.operator.park(retire(session, named, REMOVED))
    with session.journal.phase("prune"):
        _prune(session, None, _pruner(session, named, None), lambda: None)


def _pruner(session: Session, named: Collection[SetReference], generation: Generation | None) -> Pruner:
    """`generation` is None for a removal, which has no successor."""
    sets = session.records.read()
    retiring = tuple(one for one in sets if one.retiring and one.reference in named)
    living = tuple(one for one in sets if not one.retiring)
    desired = generation.identities if generation else frozenset()
    return Pruner(session, retiring, living, desired, removing=generation is None)


def _prune(session: Session, generation: Generation | None, pruner: Pruner, wait_again: Callable[[], object]) -> None:
    """Settle, and take from the record what is done, however far that came. Raises PruneIncomplete."""
    try:
        settle(session, generation, pruner, wait_again)
    except PruneIncomplete:
        pruner.close()
        raise
    pruner.close()
    if pruner.incomplete:
        raise pruner.shortfall()


def _writes(step: Step) -> bool:
    return step.act in (Act.CREATE, Act.CHANGE, Act.RECREATE) and step.identity.kind != "Secret"


def _first(desired: tuple[InstallerSet, ...]) -> InstallerSet:
    """The set that speaks for its generation: the static one, which is always there."""
    return next((one for one in desired if one.part == Part.STATIC), desired[0])
