"""Survey: which TektonInstallerSets are the component's, and which others would be in the way."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from hook.errors import Refused
from hook.generations.generation import Generation
from hook.generations.installer_set import COMPONENT_LABEL, Entry, InstallerSet, SetReference, set_name
from hook.generations.sharding import desired_sets
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.tekton.installer_set import RELEASE, TektonInstallerSet
from hook.tekton.new_sets import made_for
from hook.tekton.sets import check_size

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Survey:
    """`live` are all TektonInstallerSets by name. `records` are the component's sets; those of which the uid is empty
    stand for sets that the operator made itself, and have yet to be written."""

    live: Mapping[str, TektonInstallerSet] = field(default_factory=dict)
    records: tuple[InstallerSet, ...] = ()

    def of(self, record: InstallerSet) -> TektonInstallerSet | None:
        """The live set that a record names."""
        found = self.live.get(record.operator_set.name) if record.operator_set else None
        return found if found is not None and is_named(found, record) else None

    @property
    def own(self) -> tuple[TektonInstallerSet, ...]:
        return tuple(found for record in self.records if (found := self.of(record)) is not None)

    @property
    def elsewhere(self) -> dict[Identity, str]:
        """What sets that are not the component's list → such a set."""
        own = {one.uid for one in self.own}
        return {i: str(one.identity) for one in self.live.values() if one.uid not in own for i in one.listed()}


def is_named(found: TektonInstallerSet, record: InstallerSet) -> bool:
    """Whether a record names this very set: by name and uid, or as the one that was made for it, whose uid a killed run
    had no time to write."""
    named = record.operator_set
    if named is None or named.name != found.name:
        return False
    return named.uid == found.uid if named.uid else made_for(found, record)


def survey(session: Session, live: Sequence[TektonInstallerSet], records: Sequence[InstallerSet]) -> Survey:
    """Raises Refused for a set that was named and is not there, or is another component's."""
    by_name = {one.name: one for one in live}
    recorded = {one.operator_set.name for one in records if one.operator_set}
    new = [_named(session, by_name, name, records) for name in session.settings.tekton_sets if name not in recorded]
    return Survey(by_name, (*records, *(one for one in new if one is not None)))


def check_others(found: Survey, generation: Generation) -> None:
    """Raises Refused where a set that nobody named lists what the generation does: the two would fight over it."""
    wanted = generation.identities
    own = {one.uid for one in found.own}
    for one in found.live.values():
        shared = sorted(wanted & one.listed().keys()) if one.uid not in own else []
        if shared:
            rest = ", ..." if len(shared) > _SHOWN else ""
            raise Refused(
                f"TektonInstallerSet {one.name} lists {len(shared)} resources of the input too "
                f"({', '.join(map(str, shared[:_SHOWN]))}{rest}), and the operator would fight over them: name it in "
                "`tektonSets` if it is an old set of this component, or take them out of one of the two"
            )


def check_sizes(generation: Generation, namespace: str) -> None:
    """Raises Refused for a part that does not fit into one set."""
    manifests = {manifest.identity: manifest.obj for manifest in generation.manifests}
    for one in desired_sets(generation, namespace):
        check_size(one.name, [manifests[entry.identity] for entry in one.resources])


def _named(
    session: Session, live: Mapping[str, TektonInstallerSet], name: str, records: Collection[InstallerSet]
) -> InstallerSet | None:
    found = live.get(name)
    if found is None:
        if records:
            return None  # handed over by an earlier run, as the line that is still in Git says
        raise Refused(
            f"TektonInstallerSet {name}, which `tektonSets` names, does not exist; `handoff status` lists those that do"
        )
    owner = found.labels.get(COMPONENT_LABEL)
    if owner is not None:
        raise Refused(
            f"TektonInstallerSet {name} was made by a handoff of the component {owner}; take it out of `tektonSets`"
        )
    return record_of(found, session)


def record_of(found: TektonInstallerSet, session: Session) -> InstallerSet:
    """The record of a set that the operator made: its inventory, under a name that another run would choose too."""
    digest = hashlib.sha256(f"{found.name}\n{found.uid}".encode()).hexdigest()
    return InstallerSet(
        namespace=session.namespace,
        component=session.component,
        version=found.labels.get(RELEASE, ""),
        digest=digest,
        part=found.part.value,
        target_namespace=session.settings.target_namespace,
        resources=tuple(sorted(Entry(identity, version) for identity, version in found.listed().items())),
        operator_set=SetReference(found.name, found.uid),
        name=set_name(session.component, found.part.value, digest[:12], 0),
    )
