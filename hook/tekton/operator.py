"""The Tekton operator in a handoff: the steps of `hook.handoff.operator.Operator` for TektonInstallerSets.

Order matters. The operator deletes by name whatever an old set lists when that goes, so the old sets let go of what the
generation lists before a new set has it; garbage collection deletes by owner, so the ownerReferences move as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from hook.errors import Refused
from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet, SetReference
from hook.generations.predecessors import Predecessors
from hook.handoff.operator import Sets
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object
from hook.rights.right import Needed
from hook.rights.tekton import tekton_rights
from hook.tekton.dismissal import dismiss
from hook.tekton.installation import Installation
from hook.tekton.installer_set import APPLIED_HASH
from hook.tekton.lifecycle import check_lifecycle
from hook.tekton.ready import Gate
from hook.tekton.references import References, owners_of
from hook.tekton.save import Save
from hook.tekton.sets import TektonSets
from hook.tekton.survey import Survey, check_others, check_sizes, is_named, survey
from hook.tekton.takeover import label_for_operator


class TektonOperator:
    present = True

    def __init__(self, session: Session, *, looks_only: bool = False) -> None:
        self._session = session
        self._looks_only = looks_only  # nothing is written, so that a reconciler at work has nothing to fight
        self._sets = TektonSets(session)
        self._found = Survey()
        self._touched = False

    @property
    def predecessors(self) -> Predecessors:
        return Predecessors(self._uids() | owners_of(self._found.own), frozenset({APPLIED_HASH}))

    @property
    def elsewhere(self) -> Mapping[Identity, str]:
        return self._found.elsewhere

    def survey(self, generation: Generation | None, sets: Sequence[InstallerSet]) -> Sets:
        self._found = survey(self._session, self._sets.list(), sets)
        if generation is not None:
            check_others(self._found, generation)
            check_sizes(generation, self._session.namespace)
        if self._pending(generation):
            self._check_lifecycle()
        return self._found.records

    def rights(self) -> Collection[Needed]:
        return tuple(tekton_rights(self._session.component, self._session.namespace))

    def record(self, sets: Sequence[InstallerSet]) -> Sets:
        session = self._session
        if any(not one.uid for one in sets):
            session.records.prepare()
        records = tuple(one if one.uid else session.records.create(one) for one in sets)
        self._found = Survey(self._found.live, records)
        return records

    def set_for(self, wanted: InstallerSet) -> SetReference | None:
        return SetReference(wanted.name, "")

    def release(self, generation: Generation, old: Sequence[InstallerSet]) -> None:
        standing = [found for one in old if (found := self._found.of(one)) is not None]
        Save(self._session).add(standing)
        for one in standing:
            self._sets.keep_only(one, lambda current: current.without(generation.identities))

    def install(self, generation: Generation, desired: Sequence[InstallerSet], live: Mapping[Identity, Object]) -> None:
        names = {one.name for one in desired}
        old = [found for found in self._found.own if found.name not in names]
        Installation(self._session, self._sets, old, self._references()).install(generation, desired, live)

    def await_ready(
        self, generation: Generation, desired: Sequence[InstallerSet], tell: Callable[[Sequence[str]], None]
    ) -> bool:
        return Gate(self._session, self._sets, self._references()).wait(generation, desired, tell)

    def park(self, retired: Sequence[InstallerSet]) -> None:
        # What somebody else's set lists may have changed while the generation became Ready.
        self._found = Survey({one.name: one for one in self._sets.list()}, self._found.records)
        for one in retired:
            if (found := self._found.of(one)) is not None:
                self._sets.keep_only(found, lambda _: ())

    def let_go(self, identity: Identity, version: str) -> None:
        References(self._session, self._uids()).hand_over(identity, version, None)

    def dismiss(self, retired: InstallerSet) -> str:
        named = retired.operator_set
        if named is None:
            return ""
        found = self._sets.get(named.name)
        if found is not None and is_named(found, retired):
            why = dismiss(self._session, self._sets, found, self._session.records.read())
            if why:
                return why
        if named.uid:
            Save(self._session).drop(named.name, named.uid)
        return ""

    def finish(self, desired: Sequence[InstallerSet]) -> None:
        label_for_operator(self._session, self._sets, desired)

    def _check_lifecycle(self) -> None:
        try:
            check_lifecycle(self._session, self._found.own)
        except Refused as refusal:
            if not self._looks_only:
                raise
            self._session.journal.note("warnings", self._session.component, f"a run would be refused: {refusal}")

    def _references(self) -> References:
        return References(self._session, self._uids(), owners_of(self._found.own))

    def _uids(self) -> frozenset[str]:
        """Of all sets of the component, gone ones too."""
        recorded = {one.operator_set.uid for one in self._found.records if one.operator_set} - {""}
        return frozenset(recorded | {one.uid for one in self._found.own})

    def _pending(self, generation: Generation | None) -> bool:
        """Whether this run has anything to do about sets of the operator."""
        if generation is None:
            return bool(self._found.own)
        records = [one for one in self._found.records if one.digest == generation.digest and not one.retiring]
        if len(records) < len(self._found.records) or not records:
            return True
        listed = {identity for one in records if (found := self._found.of(one)) for identity in found.listed()}
        return not listed or any(found.being_deleted for found in self._found.own)
