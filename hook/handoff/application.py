"""Apply: the desired manifests in waves, beside what is there; nothing is sent for what is unchanged."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from hook.cluster.answers import ApiError, Cause
from hook.errors import HandoffError, Refused, Unreachable
from hook.generations.generation import Generation
from hook.generations.installer_set import Fact
from hook.generations.marks import owned_by, owners
from hook.generations.ownership import Claim
from hook.handoff.adoption import adopt, mark_patch, move_fields_to_served_version
from hook.handoff.autoscaling import hand_over_replicas
from hook.handoff.bulletin import Bulletin
from hook.handoff.definitions import definitions_of
from hook.handoff.gates import Gates
from hook.handoff.observation import reread
from hook.handoff.planning import Act, Planner, Step
from hook.handoff.recreation import await_absence, make_room
from hook.handoff.session import Session
from hook.handoff.trust import trust
from hook.manifests.identity import Object
from hook.manifests.manifest import Manifest
from hook.manifests.scope import KUBERNETES_GROUPS
from hook.manifests.waves import Wave, api_services_of, wave_of
from hook.readiness.rules import Rules

_MOVED = (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH)
_TRIES = 6  # of one object that is changed by somebody between our read and our write
# Something of this very run must come first (a Role, a namespace, the pods of a webhook): tried again in its wave
# for this long, then after the following waves.
_AWAITED = frozenset(
    {
        Cause.WEBHOOK_UNREACHABLE,
        Cause.MISSING_ROLE,
        Cause.NAMESPACE_MISSING,
        Cause.NAMESPACE_TERMINATING,
        Cause.CRD_TERMINATING,
        Cause.PATH_NOT_FOUND,  # a new kind is in discovery a moment before it answers
    }
)
# What a new schema makes right: the server may look at the old one for a moment after the new one was accepted.
_OF_AN_OLD_SCHEMA = frozenset({Cause.TYPED_PATCH, Cause.INVALID})
_IN_WAVE = 5.0  # seconds
_PAUSE = 0.25


class Application:
    """One pass over the manifests; `steps` are the plans that the preflight has made already.

    `rules` and `bulletin` are for what has to be waited for between the waves.
    """

    def __init__(
        self,
        session: Session,
        planner: Planner,
        generation: Generation,
        steps: Iterable[Step],
        rules: Rules | None = None,
        bulletin: Bulletin | None = None,
    ) -> None:
        self._session = session
        self._planner = planner
        self._generation = generation
        self._steps = {step.identity: step for step in steps}
        self._definitions = definitions_of(generation.manifests)
        self._gates = Gates(session, planner, generation, rules or Rules(), bulletin or Bulletin(session.journal))

    def run(self) -> None:
        """Apply everything; raises what stopped it, after the rest of that wave was tried."""
        session = self._session
        served = api_services_of(self._generation.manifests)
        late: list[Manifest] = []
        for identity, live in trust(session, self._steps.values()).items():
            self._planner.observation.live[identity] = live
            del self._steps[identity]
        for wave in Wave:
            members = [m for m in self._generation.manifests if wave_of(m, served) is wave]
            if not members:
                continue
            members = self._gates.before(wave, [m for m in members if not self._settled(m)]) + [
                m for m in members if self._settled(m)
            ]
            late = self._wave(late + members, give_up_after=_IN_WAVE)
            self._gates.after(wave, members)
        while late:
            self._gates.look_again()
            late = self._wave(late, give_up_after=_IN_WAVE)

    def _settled(self, manifest: Manifest) -> bool:
        step = self._steps.get(manifest.identity)
        return step is not None and step.act in (Act.UNCHANGED, Act.KEEP, Act.DONE)

    def _wave(self, manifests: Sequence[Manifest], give_up_after: float) -> list[Manifest]:
        """Apply these; returns what something else must come before. Raises the worst error of the rest."""
        waited = 0.0
        left: list[tuple[Manifest, ApiError]] = []
        todo = list(manifests)
        while todo:
            left = [missed for missed in self._session.parallel(self._try, todo) if missed]
            todo = [manifest for manifest, _ in left]
            if not todo or waited >= give_up_after:
                break
            self._session.deadline.check(
                "applying", tuple(f"{manifest.identity}: {error.message}" for manifest, error in left)
            )
            self._session.deadline.pause(_PAUSE)
            waited += _PAUSE
        for manifest, error in left:
            if error.cause in (Cause.MISSING_ROLE, Cause.NAMESPACE_MISSING):
                raise Refused(f"{manifest.identity}: {error.message}; add what is missing to the input, or create it")
            if error.cause in _OF_AN_OLD_SCHEMA:
                raise error
        return todo

    def _try(self, manifest: Manifest) -> tuple[Manifest, ApiError] | None:
        try:
            self._apply(manifest)
        except ApiError as error:
            if error.cause in self._awaited(manifest):
                return manifest, error
            raise
        return None

    def _awaited(self, manifest: Manifest) -> frozenset[Cause]:
        """Refusals that may pass when something else of this very run has come."""
        causes = _AWAITED
        if manifest.identity.group in KUBERNETES_GROUPS:
            causes = causes - {Cause.PATH_NOT_FOUND}  # built-in kinds do not come
        return causes | _OF_AN_OLD_SCHEMA if self._has_new_schema(manifest) else causes

    def _has_new_schema(self, manifest: Manifest) -> bool:
        """Whether this run has written the definition of its kind."""
        definition = self._definitions.get(manifest.identity.of_kind)
        return definition is not None and definition in self._session.journal.written

    def _apply(self, manifest: Manifest) -> None:
        step = self._steps.pop(manifest.identity, None) or self._planner.step(manifest)
        lost = False
        for _ in range(_TRIES):
            try:
                self._perform(step)
                return
            except ApiError as error:
                if error.cause is Cause.UNSERVED_FIELDS and step.live is not None:
                    move_fields_to_served_version(self._session, step)
                elif not (error.cause in _MOVED or (error.cause is Cause.FIELD_CONFLICT and _creates(step))):
                    raise
                lost = lost or error.lost
                live = reread(self._session, self._planner.observation, step.identity, manifest.version)
                if live is None and error.cause is Cause.FIELD_CONFLICT:
                    raise  # a conflict about what is not there will not pass by itself
            step = self._planner.step(manifest)
            if lost and step.act is Act.UNCHANGED:
                # Our own write, whose answer did not come.
                self._session.journal.count("changed", manifest.identity)
        raise Unreachable(f"{manifest.identity} is changed or deleted by somebody all the time; run again")

    def _perform(self, step: Step) -> None:
        session, identity = self._session, step.identity
        if step.act is Act.DONE:
            session.journal.count("unchanged", identity)
            session.absent.add(identity)
            return
        if step.act in (Act.UNCHANGED, Act.KEEP):
            if step.act is Act.KEEP:
                self._keep(step)
            session.journal.count("unchanged", identity)
            self._remember(step, step.live)
            return
        if step.act is Act.RECREATE:
            if step.live is not None:
                make_room(session, step.type, identity, step.live)
                session.journal.note("recreated", identity, step.reason)
            answer = self._send(step, without_uid=True)
            session.journal.count("changed", identity)
        elif step.act is Act.CREATE:
            if step.live is not None:
                await_absence(session, step.type, identity, step.live["metadata"]["uid"])
            answer = self._send(step)
            session.journal.count("created", identity)
            self._is_ours(step, answer)
        else:
            answer = self._change(step)
        self._remember(step, answer)

    def _is_ours(self, step: Step, answer: Object) -> None:
        """What somebody created in the same moment, with the same fields, may belong to another component."""
        if len(owners(answer["metadata"])) > 1:
            self._planner.observation.live[step.identity] = answer
            self._planner.step(step.manifest)

    def _keep(self, step: Step) -> None:
        """The live object serves; all that it needs of us is our mark."""
        session, identity = self._session, step.identity
        session.journal.note("kept", identity, step.reason)
        if step.live is not None and not owned_by(step.live["metadata"], session.component, session.namespace):
            session.objects.json_patch(
                step.type, identity.namespace, identity.name, mark_patch(session, step.live), session.manager
            )

    def _change(self, step: Step) -> Object:
        session, identity = self._session, step.identity
        live = adopt(session, step)
        if step.verdict is not None and step.verdict.claim is Claim.SHARED:
            session.journal.note("shared", identity, step.verdict.why)
        if step.hands_over_replicas:
            live = hand_over_replicas(session, identity, step.manifest.version, live or step.live or {})
        answer = self._send(step, upon=live)
        if answer["metadata"].get("deletionTimestamp"):
            # Applied to something that is about to vanish: what counts is the one that follows it.
            await_absence(session, step.type, identity, answer["metadata"]["uid"])
            answer = self._send(step, without_uid=True)
            session.journal.count("created", identity)
        elif (
            step.live is not None and answer["metadata"]["resourceVersion"] == step.live["metadata"]["resourceVersion"]
        ):
            session.journal.count("unchanged", identity)  # a Secret, which is always sent
        else:
            session.journal.count("changed", identity)
        for what in step.carried.what if step.carried else ():
            session.journal.note("carried", identity, what)
        return answer

    def _send(self, step: Step, *, upon: Object | None = None, without_uid: bool = False) -> Object:
        """Apply the planned body; `upon` a live object only if that is still as it was read.

        A process that was stopped for a while, and whose request arrives when another run has been there, changes
        nothing; and what is carried along from a live list is the whole of that list.
        """
        body = step.body
        if body is None:
            raise HandoffError(f"{step.identity}: no body was planned")
        if upon is not None:
            body = {**body, "metadata": {**body["metadata"], "resourceVersion": upon["metadata"]["resourceVersion"]}}
        if without_uid and "uid" in body["metadata"]:
            body = {**body, "metadata": {k: v for k, v in body["metadata"].items() if k != "uid"}}
        # What was not there is not taken from whoever creates it meanwhile: it is looked at, and decided, again.
        force = self._session.settings.conflicts == "force" and not _creates(step)
        return self._session.objects.apply(step.type, body, self._session.manager, force=force, metadata_only=True).obj

    def _remember(self, step: Step, answer: Object | None) -> None:
        if answer is None:
            return
        metadata = answer["metadata"]
        self._session.facts[step.identity] = Fact(metadata["uid"], metadata.get("generation", 0))
        if self._session.journal.outcomes.get(step.identity) != "unchanged":
            self._session.applied_at[step.identity] = time.monotonic()
        self._planner.observation.live[step.identity] = answer


def _creates(step: Step) -> bool:
    return step.act in (Act.CREATE, Act.RECREATE)
