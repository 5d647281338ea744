"""A simple model of what a handoff promises, checked at every single change that a run makes."""

from __future__ import annotations

from dataclasses import dataclass, field

from hook.generations.installer_set import KIND, REMOVED, InstallerSet
from hook.generations.marks import owners
from hook.manifests.identity import Identity, Object
from tests.unit.handoff.histories.server import Server

NAMESPACE = "sets"
KEPT_KINDS = frozenset({"Namespace", "CustomResourceDefinition", "PersistentVolumeClaim"})
_KEYED = {"ConfigMap": "data", "Secret": "data"}


class Broken(AssertionError):
    """A promise was not kept."""


@dataclass(slots=True)
class Run:
    """What a run in progress is allowed to do: `desired` is empty for a removal."""

    component: str
    desired: frozenset[Identity]
    digest: str
    ready: bool = False


@dataclass(slots=True)
class Promises:
    """Watches the server. `tampered` are components whose records somebody has edited or deleted: what these listed
    may be left behind, but never pruned wrongly."""

    server: Server
    runs: dict[str, Run] = field(default_factory=dict)
    tampered: set[str] = field(default_factory=set)

    def __call__(self, actor: str, identity: Identity, before: Object | None, after: Object | None) -> None:
        run = self.runs.get(actor)
        if run is None:
            return
        if identity.kind == KIND:
            self._record(run, before, after)
        elif before is not None and (after is None or "deletionTimestamp" in after["metadata"]):
            if "deletionTimestamp" not in before["metadata"]:
                self._deletion(run, identity, before)
        elif before is not None and after is not None:
            self._inside(run, identity, before, after)

    def sets(self, component: str) -> list[InstallerSet]:
        found = [InstallerSet.from_object(o) for i, o in sorted(self.server.objects.items()) if i.kind == KIND]
        return [one for one in found if one.component == component]

    def marked(self, component: str) -> set[Identity]:
        """Everything that carries the component's mark."""
        return {
            identity
            for identity, obj in self.server.objects.items()
            if identity.kind != KIND and component in owners(obj["metadata"])
        }

    def listed(self, component: str) -> set[Identity]:
        return {e.identity for one in self.sets(component) for e in (*one.resources, *one.retained)}

    def forgotten(self, component: str) -> set[Identity]:
        """What carries the component's mark and stands in no record of it."""
        return self.marked(component) - self.listed(component)

    def _deletion(self, run: Run, identity: Identity, before: Object) -> None:
        if owners(before["metadata"]) != {run.component: NAMESPACE}:
            raise Broken(f"{run.component} deletes {identity}, owned by {owners(before['metadata'])}")
        if identity in run.desired:
            raise Broken(f"{run.component} deletes {identity}, which its desired generation has")
        if run.desired and not run.ready:
            raise Broken(f"{run.component} deletes {identity} before the desired generation is Ready")
        if identity.kind in KEPT_KINDS:
            raise Broken(f"{run.component} deletes {identity}, of a kind that is kept")
        if run.component in self.tampered:
            return  # what the record said when it was read may have been edited since
        old = {e.identity for one in self.sets(run.component) if one.retiring for e in one.resources}
        kept = {e.identity for one in self.sets(run.component) for e in one.retained}
        if identity not in old | kept:
            raise Broken(f"{run.component} deletes {identity}, which no retiring set of it lists")

    def _record(self, run: Run, before: Object | None, after: Object | None) -> None:
        old = InstallerSet.from_object(before) if before else None
        new = InstallerSet.from_object(after) if after else None
        if old is not None and old.component != run.component:
            raise Broken(f"{run.component} writes the set {old.name} of {old.component}")
        if new is not None and new.retiring and not (old and old.retiring):
            self._retirement(run, new)
        if old is not None and new is None:
            self._end_of_record(run, old)

    def _retirement(self, run: Run, one: InstallerSet) -> None:
        if not run.desired and one.retired_by and one.retired_by.digest == REMOVED:
            return
        if not run.ready:
            raise Broken(f"{one.name} is retired before the desired generation is Ready")
        if run.component in self.tampered:
            if one.digest == run.digest:
                raise Broken(f"{one.name} retires itself")
            return  # who edits the record in the middle of a run does not change what that run has read
        named = {old for each in self.sets(run.component) if each.digest == run.digest for old in each.replaces}
        if one.reference not in named or one.digest == run.digest:
            raise Broken(f"{one.name} is retired, which the record does not name")

    def _end_of_record(self, run: Run, one: InstallerSet) -> None:
        if not one.retiring:
            raise Broken(f"{one.name} is deleted while it lives")
        if run.component in self.tampered:
            return
        left = {e.identity for e in (*one.resources, *one.retained)} & self.forgotten(run.component)
        if left:
            raise Broken(f"{one.name} is deleted, and forgets {sorted(map(str, left))}")

    def _inside(self, run: Run, identity: Identity, before: Object, after: Object) -> None:
        """Until an old generation is retired, its pods keep the keys and rules that they know."""
        old = [one for one in self.sets(run.component) if run.digest != one.digest]
        if run.component in self.tampered or not old or any(one.retiring for one in old):
            return
        if not any(identity == e.identity for one in old for e in one.resources):
            return
        if key := _KEYED.get(identity.kind):
            ours = {name for name in before.get(key) or {} if _owns(before, run.component, (key, name))}
            if lost := ours - set(after.get(key) or {}):
                raise Broken(f"{identity} loses {sorted(lost)} while old pods live")
        if identity.kind == "Role" and any(rule not in after["rules"] for rule in before["rules"]):
            raise Broken(f"{identity} loses rules while old pods live")


def _owns(obj: Object, component: str, path: tuple[str, ...]) -> bool:
    manager = f"handoff:{NAMESPACE}:{component}"
    for entry in obj["metadata"].get("managedFields") or ():
        node = entry.get("fieldsV1") or {}
        for name in path:
            node = node.get(f"f:{name}") if node is not None else None
        if entry.get("manager") == manager and entry.get("operation") == "Apply" and node is not None:
            return True
    return False
