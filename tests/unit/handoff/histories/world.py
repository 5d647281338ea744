"""Several components on one server, run by the real engine, killed and disturbed by others."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hook.errors import HandoffError, TimeLimit
from hook.generations.generation import Generation, generation_of
from hook.generations.installer_set import KIND, InstallerSet
from hook.generations.marks import CARRY_SEPARATOR, applied_annotation, field_manager, owner_label
from hook.generations.sharding import desired_sets
from hook.handoff import sequence
from hook.handoff.observation import Observation
from hook.handoff.scope import placed_offline
from hook.manifests.identity import Identity, Object, identify
from hook.manifests.load import Manifests
from hook.manifests.manifest import Manifest
from hook.manifests.origin import Origin
from hook.readiness.rules import Rules
from hook.records.conditions import ready
from hook.records.native import NativeRecords
from hook.report.journal import Journal
from hook.settings import Settings
from tests.unit.handoff.histories.client import (
    Client,
    Killed,
    NoEvents,
    Patience,
    Script,
    SerialSession,
    Served,
    discovery,
)
from tests.unit.handoff.histories.promises import NAMESPACE, Broken, Promises, Run
from tests.unit.handoff.histories.server import Server, leaves, paths_of, value_at

SHARED = Identity("", "ConfigMap", "x", "shared")

# name → what the object is; `{}` is filled in with the variant that a generation wants.
_OBJECTS: Mapping[str, Callable[[int], Object]] = {
    "one": lambda v: _object("v1", "ConfigMap", "one", data={"common": str(v), f"key-{v}": "a"}),
    "two": lambda v: _object("v1", "ConfigMap", "two", data={"common": "same", **({"more": "b"} if v else {})}),
    "shared": lambda v: _object("v1", "ConfigMap", "shared", data={"common": "same"}),
    "secret": lambda v: _object("v1", "Secret", "secret", data={f"key-{v}": "YQ=="}),
    "role": lambda v: _object(
        "rbac.authorization.k8s.io/v1", "Role", "role", rules=[{"verbs": ["get"], "resources": [f"r{v}"]}]
    ),
    "web": lambda v: _object("apps/v1", "Deployment", "web", spec={"template": {"spec": {"image": str(v)}}}),
    "claim": lambda v: _object("v1", "PersistentVolumeClaim", "claim", spec={"size": "1Gi"}),
    "gear": lambda v: _object("example.org/v1", "Gear", "gear", spec={"teeth": v}),
    "tools": lambda v: _object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "tools.tools.example.org",
        spec={
            "group": "tools.example.org",
            "scope": "Namespaced",
            "names": {"kind": "Tool", "plural": "tools"},
            "versions": [{"name": "v1", "served": True, "storage": True}],
        },
    ),
    "space": lambda v: _object("v1", "Namespace", "space", labels={"tier": str(v)}),
}
NAMES = tuple(_OBJECTS)
COMPONENTS = ("red", "blue", "green")
Content = Mapping[str, int]


def _object(api_version: str, kind: str, name: str, labels: Mapping[str, str] | None = None, **rest: Any) -> Object:
    metadata: Object = {"name": name, **({"labels": dict(labels)} if labels else {})}
    if kind not in ("Namespace", "CustomResourceDefinition"):
        metadata["namespace"] = "x"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def identity_of(name: str) -> Identity:
    return identify(_OBJECTS[name](0))


class Handoff(sequence.Handoff):
    """The real sequence; only whether the pods become ready is said by the history."""

    def _wait(self, desired: tuple[InstallerSet, ...], observation: Observation) -> tuple[InstallerSet, ...]:
        if not self.comes_up:
            raise TimeLimit("not ready")
        self.is_ready()
        return self._tell(desired, ready(), with_facts=True)

    comes_up: bool
    is_ready: Callable[[], None]


@dataclass
class World:
    server: Server = field(default_factory=Server)
    promises: Promises = field(init=False)
    wanted: dict[str, Generation | None] = field(default_factory=dict)  # what each component was last told to be

    def __post_init__(self) -> None:
        self.promises = Promises(self.server)
        self.server.watchers.append(self.promises)

    def generation(self, component: str, content: Content) -> Generation:
        origin = Origin("history.yaml", 1)
        manifests = []
        for name, variant in sorted(content.items()):
            obj = _OBJECTS[name](variant)
            identity = identify(obj)
            manifests.append(Manifest(obj, identity, obj["apiVersion"].rpartition("/")[2], origin))
        loaded = Manifests(tuple(sorted(manifests, key=lambda m: m.identity)), ())
        return placed_offline(generation_of(component, "", "x", loaded))

    def run(self, component: str, content: Content, script: Script, *, comes_up: bool = True) -> int | None:
        """Runs a generation; returns the exit code, None if the run was killed."""
        if component in self.promises.runs:
            return None  # the Lease is held
        generation = self.generation(component, content)
        self.wanted[component] = generation
        self._contents[generation.digest] = content
        run = Run(component, generation.identities, generation.digest)

        def act() -> None:
            handoff = Handoff(self._session(component, script), generation, Rules())
            handoff.comes_up = comes_up
            handoff.is_ready = lambda: setattr(run, "ready", True)
            handoff.run()

        return self._perform(run, act)

    def remove(self, component: str, script: Script) -> int | None:
        if component in self.promises.runs:
            return None
        self.wanted[component] = None
        return self._perform(Run(component, frozenset(), ""), lambda: sequence.remove(self._session(component, script)))

    def settled(self, component: str) -> None:
        """Runs what the component was last told to be, undisturbed, until it is done; then all must be as it says."""
        generation = self.wanted.get(component)
        if component not in self.wanted:
            return
        code = self._again(component, generation)
        if code == 3:
            return  # it wants what another component has: said, and nothing written
        if code != 0:
            code = self._again(component, generation)
        if code != 0:
            raise Broken(f"{component} does not converge: exit {code}")
        before = copy.deepcopy(self.server.objects)
        if generation is not None:
            self._is_exact(component, generation)
            if self._again(component, generation) != 0 or self.server.objects != before:
                raise Broken(f"{component}: a second run writes again")
        elif self.promises.sets(component) or (
            component not in self.promises.tampered and self.promises.marked(component)
        ):
            raise Broken(f"{component} was removed, and something of it is left")

    def _again(self, component: str, generation: Generation | None) -> int | None:
        if generation is None:
            return self.remove(component, Script())
        content = self._contents[generation.digest]
        return self.run(component, content, Script())

    _contents: dict[str, Content] = field(default_factory=dict)

    def _is_exact(self, component: str, generation: Generation) -> None:
        sets = self.promises.sets(component)
        names = {one.name for one in desired_sets(generation, NAMESPACE)}
        if {one.name for one in sets} != names or any(one.retiring for one in sets):
            raise Broken(f"{component}: its sets are {[one.name for one in sets]}, wanted {names}")
        if {e.identity for one in sets for e in one.resources} != generation.identities:
            raise Broken(f"{component}: its inventory is not what is desired")
        for manifest in generation.manifests:
            self._object_is_exact(component, manifest)
        if component not in self.promises.tampered and self.promises.forgotten(component):
            raise Broken(f"{component} forgets {self.promises.forgotten(component)}")

    def _object_is_exact(self, component: str, manifest: Manifest) -> None:
        live = self.server.objects.get(manifest.identity)
        if live is None:
            raise Broken(f"{component}: {manifest.identity} is not there")
        metadata = live["metadata"]
        if metadata.get("labels", {}).get(owner_label(component)) != NAMESPACE:
            raise Broken(f"{component}: {manifest.identity} has no mark")
        if CARRY_SEPARATOR in metadata.get("annotations", {}).get(applied_annotation(component), ""):
            raise Broken(f"{component}: {manifest.identity} still carries something along")
        manager = field_manager(NAMESPACE, component)
        held: set[tuple[str, ...]] = set()
        for entry in metadata.get("managedFields") or ():
            if entry.get("manager") == manager and entry.get("operation") == "Apply":
                held = paths_of(entry["fieldsV1"])
        shared = manifest.identity.kind in ("Namespace", "CustomResourceDefinition")
        for path in leaves(manifest.obj):
            if not shared and (value_at(live, path) != value_at(manifest.obj, path) or path not in held):
                raise Broken(f"{component}: {manifest.identity} {path} is not as desired")
        wanted = set(leaves(manifest.obj))
        if extra := {path for path in held - wanted if path[0] != "metadata"}:
            raise Broken(f"{component}: {manifest.identity} holds {extra} too")

    def _perform(self, run: Run, act: Callable[[], None]) -> int | None:
        self.promises.runs[run.component] = run
        try:
            act()
        except Killed:
            return None
        except HandoffError as error:
            return error.exit_code
        finally:
            del self.promises.runs[run.component]
            if run.component not in self.promises.tampered and (lost := self.promises.forgotten(run.component)):
                raise Broken(f"{run.component} has forgotten {sorted(map(str, lost))}")
        return 0

    def _session(self, component: str, script: Script) -> SerialSession:
        client: Any = Client(self.server, component, script)
        served: Any = Served()
        events: Any = NoEvents()
        return SerialSession(
            settings=replace(Settings(), component=component, namespace=NAMESPACE, share=("ConfigMap/shared",)),
            component=component,
            namespace=NAMESPACE,
            objects=client,
            discovery=discovery(script.down),
            reread_discovery=lambda: discovery(script.down),
            records=NativeRecords(client, served, NAMESPACE, component),
            journal=Journal(),
            deadline=Patience(self.server),
            events=events,
        )

    # What others do.

    def somebody_deletes(self, name: str) -> None:
        self._as_somebody(identity_of(name), None)

    def somebody_makes(self, name: str) -> None:
        """An object of that name, without any mark."""
        identity = identity_of(name)
        if identity not in self.server.objects:
            self.server.actor = ""
            self.server.apply(identity, _OBJECTS[name](7), "kubectl", force=True, dry_run=False)

    def somebody_unmarks(self, name: str) -> None:
        identity = identity_of(name)
        live = self.server.objects.get(identity)
        if live is not None:
            changed = copy.deepcopy(live)
            for component in COMPONENTS:
                changed["metadata"].get("labels", {}).pop(owner_label(component), None)
            self._as_somebody(identity, changed)

    def somebody_deletes_a_set(self, number: int) -> None:
        sets = sorted(i for i in self.server.objects if i.kind == KIND)
        if sets:
            self._tamper(sets[number % len(sets)], None)

    def somebody_edits_a_set(self, number: int, edit: str) -> None:
        sets = sorted(i for i in self.server.objects if i.kind == KIND)
        if not sets:
            return
        identity = sets[number % len(sets)]
        changed = copy.deepcopy(self.server.objects[identity])
        spec = changed["spec"]
        if edit == "forget":
            spec["resources"] = spec["resources"][1:]
        elif edit == "all":
            spec["resources"] = [
                {"group": i.group, "version": "v1", "kind": i.kind, "namespace": i.namespace, "name": i.name}
                for i in map(identity_of, NAMES)
            ]
        elif edit == "itself":
            spec["replaces"] = [{"name": identity.name, "uid": changed["metadata"]["uid"]}]
        elif edit == "retire":
            spec["retiredBy"] = {"digest": "f" * 64, "time": "2026-01-01T00:00:00Z"}
        elif edit == "status":
            changed.pop("status", None)
        self._tamper(identity, changed)

    def _tamper(self, identity: Identity, changed: Object | None) -> None:
        one = InstallerSet.from_object(self.server.objects[identity])
        self.promises.tampered.add(one.component)
        self._as_somebody(identity, changed)

    def _as_somebody(self, identity: Identity, changed: Object | None) -> None:
        if identity in self.server.objects:
            self.server.actor = ""
            self.server.put(identity, changed)
