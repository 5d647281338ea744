"""Installation: the new sets list what stands in the cluster, and own it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hook.cluster.answers import ApiError, Cause
from hook.errors import Refused, Unreachable
from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet, SetReference
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object
from hook.tekton.installer_set import TektonInstallerSet
from hook.tekton.new_sets import made_for, manifests_of, metadata_of
from hook.tekton.references import References
from hook.tekton.sets import TektonSets

_TRIES = 6
_POLL = 0.3  # seconds


@dataclass(frozen=True, slots=True)
class Installation:
    """`old` are the sets that the new ones come from; `references` hands their objects over."""

    session: Session
    sets: TektonSets
    old: Sequence[TektonInstallerSet]
    references: References

    def install(self, generation: Generation, desired: Sequence[InstallerSet], live: Mapping[Identity, Object]) -> None:
        """Have the new sets list what stands, and own all of their records' resources; nothing is written where nothing
        differs."""
        versions = {m.identity: m.version for m in generation.manifests}
        for record in desired:
            if record.operator_set is None:
                continue
            found = self._ensure(record, manifests_of(self.session, generation, record, live))
            self._link(record, found)
            controller = found.as_controller()
            late = [
                entry.identity
                for entry in record.resources
                if (obj := live.get(entry.identity)) is not None
                and not self.references.settled(entry.identity, obj["metadata"], controller)
            ]
            self._hand_over(late, versions, controller)

    def _hand_over(self, late: Sequence[Identity], versions: Mapping[Identity, str], controller: Object) -> None:
        self.session.parallel(lambda each: self.references.hand_over(each, versions[each], controller), late)

    def _ensure(self, record: InstallerSet, manifests: Sequence[Object]) -> TektonInstallerSet:
        name = record.name
        for _ in range(_TRIES):
            found = self.sets.get(name)
            if found is None:
                try:
                    return self.sets.create(name, metadata_of(self.session, record, self.old), manifests)
                except ApiError as error:
                    if error.cause is not Cause.ALREADY_EXISTS:
                        raise
                    continue
            if not made_for(found, record):
                raise Refused(
                    f"TektonInstallerSet {name} exists, and was not made by a handoff of {record.component} in "
                    f"namespace {record.namespace}; delete it, or give the component another name"
                )
            if found.being_deleted:
                self._rescue(record, found)
                continue
            if self.sets.keep_only(found, lambda _: manifests):
                return found
        raise Unreachable(f"TektonInstallerSet {name} is changed or deleted by somebody all the time; run again")

    def _rescue(self, record: InstallerSet, found: TektonInstallerSet) -> None:
        """Somebody deletes a new set. It takes nothing along if it lists nothing and owns nothing when it goes."""
        self.sets.keep_only(found, lambda _: ())
        listed = {**found.listed(), **{entry.identity: entry.version for entry in record.resources}}
        References(self.session, {found.uid}).take_out(listed)
        while (now := self.sets.get(found.name)) is not None and now.uid == found.uid:
            self.session.deadline.check(f"TektonInstallerSet {found.name}, which somebody deletes, is not gone yet")
            self.session.deadline.pause(_POLL)

    def _link(self, record: InstallerSet, found: TektonInstallerSet) -> None:
        """The uid of the new set into its record: only what is named there is ever deleted."""
        reference = SetReference(found.name, found.uid)
        if record.operator_set == reference:
            return
        for _ in range(_TRIES):
            current = next((one for one in self.session.records.read() if one.name == record.name), None)
            if current is None:
                raise Unreachable(f"{record.identity} was deleted by somebody during the run; run again")
            if current.operator_set == reference:
                return
            try:
                self.session.records.update(replace(current, operator_set=reference))
                return
            except ApiError as error:
                if error.cause not in (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH):
                    raise
        raise Unreachable(f"{record.identity} is changed by somebody all the time; run again")
