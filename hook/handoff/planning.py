"""Plan: what one manifest needs, decided from the live object before anything is written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from hook.cluster.resource_type import ResourceType
from hook.errors import Refused, Unreachable
from hook.generations.body import body_of, is_unchanged
from hook.generations.carry_over import Carried, carries, carry_over
from hook.generations.installer_set import fact_key
from hook.generations.managed_fields import Entry
from hook.generations.ownership import Claim, Verdict, judge, must_agree
from hook.generations.replicas import SCALABLE, drops_replicas, wants_replicas, was_scaled, without_replicas
from hook.generations.sharing import disagreements, saying_share
from hook.handoff.autoscaling import Autoscalers
from hook.handoff.definitions import CRD, forward
from hook.handoff.observation import Observation
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.manifests.manifest import Manifest

JOB = Kind("batch", "Job")


class Act(StrEnum):
    CREATE = "create"
    UNCHANGED = "unchanged"
    CHANGE = "change"
    RECREATE = "recreate"
    KEEP = "keep"  # the live one stays as it is and serves
    DONE = "done"  # a Job that completed in this generation and was cleaned up since


@dataclass(frozen=True, slots=True)
class Step:
    """What one manifest needs. `live` is the metadata that the decision was made from."""

    manifest: Manifest
    type: ResourceType
    act: Act
    live: Object | None = None
    verdict: Verdict | None = None
    body: Object | None = None
    carried: Carried | None = None
    reason: str = ""
    hands_over_replicas: bool = False  # before it is applied without them

    @property
    def identity(self) -> Identity:
        return self.manifest.identity

    @property
    def adopts(self) -> bool:
        """It was there before us: recorded as adopted."""
        return self.verdict is not None and self.verdict.claim is Claim.ADOPT

    @property
    def takes_over(self) -> bool:
        """Fields of others become ours before we apply: of what is adopted, or was restored without its owners."""
        return self.adopts or (self.verdict is not None and bool(self.verdict.restored))


@dataclass(slots=True)
class Planner:
    """Plans one pass over the manifests.

    `exact` plans the pass after the old pods are gone: nothing is carried along any more. `old_generation` tells
    whether another generation may still need what it finds inside shared objects; `adopted` are the resources
    that were there before the component had any set, and count as such a generation.
    """

    session: Session
    observation: Observation
    old_generation: bool
    adopted: Collection[Identity] = ()
    completed_jobs: Collection[str] = ()  # fact keys
    exact: bool = False
    autoscalers: Autoscalers | None = None

    def step(self, manifest: Manifest) -> Step:
        """Raises Refused for a foreign owner, or a kind that is not served at the manifest's version."""
        session, identity = self.session, manifest.identity
        found = session.require_type(identity.of_kind, manifest.version)
        if identity in self.observation.unread:
            raise Unreachable(f"{identity}: {self.observation.unread[identity]}; run again")
        live = self.observation.live.get(identity)
        if live is None or live["metadata"].get("deletionTimestamp"):
            if identity.of_kind == JOB and live is None and fact_key(identity) in self.completed_jobs:
                return Step(manifest, found, Act.DONE, reason="completed in this generation, and gone since")
            meant = saying_share(manifest.obj, session.settings.share)
            body = body_of(meant, session.component, session.namespace, meant)
            return Step(manifest, found, Act.CREATE, live, body=body)
        verdict = judge(
            manifest.obj,
            live,
            session.component,
            session.namespace,
            adopt=session.settings.adopt,
            share=session.settings.share,
            predecessors=session.operator.predecessors,
        )
        if verdict.claim is Claim.REFUSED:
            raise Refused(f"{identity}: {verdict.why}; {verdict.way_out}")
        meant = saying_share(manifest.obj, session.settings.share)
        desired = verdict.desired(meant, live)
        for path in verdict.kept(meant, live):
            session.journal.note("kept", identity, f"{path} differs, and another component holds it")
        if verdict.claim is Claim.OURS and self._is_unchanged(desired, live, meant):
            return Step(manifest, found, Act.UNCHANGED, live, verdict)
        if identity.of_kind == CRD:
            kept = forward(session, found, manifest, verdict)
            if kept is not None:
                return Step(manifest, found, Act.KEEP, live, verdict, reason=kept.why)
        planned = Step(manifest, found, Act.CHANGE, live, verdict)
        if autoscaler := self._autoscaler(planned, desired):
            desired = without_replicas(desired)
            session.journal.note("warnings", identity, f"spec.replicas is left to {autoscaler}")
            if verdict.claim is Claim.OURS and self._is_unchanged(desired, live, meant):
                return Step(manifest, found, Act.UNCHANGED, live, verdict)
            alone = drops_replicas(live["metadata"], lambda entry: self._owns(entry, verdict))
            planned = replace(planned, hands_over_replicas=alone)
        return self._change(planned, meant, desired)

    def _is_unchanged(self, desired: Object, live: Object, meant: Object) -> bool:
        session = self.session
        return not session.settings.always_apply and is_unchanged(
            desired, live, session.component, session.namespace, meant, exact=self.exact
        )

    def _autoscaler(self, step: Step, desired: Object) -> str:
        """Who sets the number of replicas, where that matters: the manifest has one, or ours would be dropped."""
        if step.identity.of_kind not in SCALABLE or step.live is None or step.verdict is None:
            return ""
        metadata, verdict = step.live["metadata"], step.verdict
        if not wants_replicas(desired) and not drops_replicas(metadata, lambda entry: self._owns(entry, verdict)):
            return ""
        return self._scalers().of(step.identity) or ("an autoscaler" if was_scaled(metadata) else "")

    def _scalers(self) -> Autoscalers:
        if self.autoscalers is None:
            self.autoscalers = Autoscalers(self.session)
        return self.autoscalers

    def _owns(self, entry: Entry, verdict: Verdict) -> bool:
        return entry.get("manager") == self.session.manager or verdict.takes(entry)

    def _change(self, step: Step, meant: Object, desired: Object) -> Step:
        session, identity, live, verdict = self.session, step.identity, step.live, step.verdict
        if live is None or verdict is None:
            raise ValueError(f"{identity}: a change needs a live object")
        carried = None
        agree = must_agree(meant, verdict)
        if agree or (self._carries(identity, verdict) and carries(identity.of_kind)):
            whole = session.objects.get(step.type, identity.namespace, identity.name)
            if agree and (differing := disagreements(meant, whole, verdict.others)):
                raise Refused(
                    f"{identity}: {verdict.why or 'it is shared'}, and these fields differ: {', '.join(differing)}; "
                    "let both components want the same, or give it up in one of them"
                )
            if self._carries(identity, verdict):
                adopted = verdict.claim is Claim.ADOPT or identity in self.adopted
                carried = carry_over(desired, whole, session.manager, adopted=adopted)
                desired = carried.obj
        body = body_of(desired, session.component, session.namespace, meant, carried.digest if carried else "")
        body["metadata"]["uid"] = live["metadata"]["uid"]
        return replace(step, body=body, carried=carried)

    def _carries(self, identity: Identity, verdict: Verdict) -> bool:
        if self.exact:
            return False
        return self.old_generation or verdict.claim is Claim.ADOPT or identity in self.adopted
