"""A small component that the Tekton operator keeps by its own sets, and the handoffs of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, targets_of
from tests.cluster.proxy import Hold, Proxy
from tests.hook_process import HookResult, run_handoff
from tests.integration.component_run import expire_lease, run_killed
from tests.integration.small_component import manifests, write
from tests.live_objects import Object, read, sets_of
from tests.tekton.definitions import API_VERSION, PIPELINE, PIPELINES_PATH, SETS_PATH
from tests.tekton.installation import HASH, digest
from tests.tekton.lifecycle import CREATED_BY, RELEASE_VERSION, TARGET_NAMESPACE, TYPE
from tests.tekton.process import OperatorProcess
from tests.tekton.sets import Sets, wait

OLD_RELEASE, NEW_RELEASE = "1.0.0", "1.0.1"
WEBHOOK, DEFINITION = "ValidatingWebhookConfiguration", "CustomResourceDefinition"
_DEPLOYED = ("Deployment", "Service")
_CLUSTER_SCOPED = (WEBHOOK, DEFINITION)


@dataclass(frozen=True, slots=True)
class OperatedComponent:
    """`name` is that of the component, its namespace and its custom resource; `directory` holds its manifest files."""

    cluster: Cluster
    name: str
    directory: Path

    @property
    def sets(self) -> Sets:
        return Sets(self.cluster.api)

    @property
    def old_sets(self) -> list[str]:
        """The names of those that the operator made: generated ones, in the cluster."""
        return [f"pipeline-main-{part}-{self.name}" for part in ("static", "deployment")]

    def install(self, objects: Iterable[Object] | None = None) -> None:
        """Version 1 as the operator installs it: the component's custom resource, and a pair of sets that it owns."""
        asked = {"targetNamespace": self.name}
        body = {"apiVersion": API_VERSION, "kind": PIPELINE, "metadata": {"name": self.name}, "spec": asked}
        made = self.cluster.api.request("POST", PIPELINES_PATH, body)
        assert made.status == 201, made.body
        owner = {
            "apiVersion": API_VERSION,
            "kind": PIPELINE,
            "name": self.name,
            "uid": made.body["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
        placed = [self._as_the_operator_has_it(obj, owner) for obj in (objects or self.objects(1))]
        for name in self.old_sets:
            deployed = "deployment" in name
            self.sets.create(
                name,
                [obj for obj in placed if (obj["kind"] in _DEPLOYED) is deployed],
                labels={CREATED_BY: PIPELINE, TYPE: "main", RELEASE_VERSION: OLD_RELEASE},
                annotations={TARGET_NAMESPACE: self.name, HASH: digest(asked)},
                owners=[owner],
            )
        for name in self.old_sets:
            self.until_ready(name)

    def until_ready(self, name: str) -> None:
        """Waits for a set; woken again and again, since the operator looks at its StatefulSets every ten seconds."""

        def ready() -> bool:
            if self.sets.ready(name):
                return True
            self.sets.touch(name)
            return False

        wait(ready, f"{name} is Ready", timeout=30.0, every=0.5, found=lambda: self.sets.get(name))

    def objects(self, version: int) -> list[Object]:
        """The manifests of a version, with a webhook configuration that only this version has."""
        return [*manifests(version), self.webhook(str(version))]

    def webhook(self, suffix: str) -> Object:
        """The manifest of a webhook configuration that is never called. Not an empty one: the server counts each write
        of an empty list as a change."""
        nobody = f"{self.name}.example.org"
        webhook = {
            "name": f"webhook.{nobody}",
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [{"apiGroups": [nobody], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["*"]}],
            "failurePolicy": "Ignore",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": WEBHOOK,
            "metadata": {"name": f"{self.name}-{suffix}"},
            "webhooks": [webhook],
        }

    def claim(self) -> Object:
        """The manifest of a claim for `volume`."""
        room = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        spec = {**room, "storageClassName": "", "volumeName": self.name}
        return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": spec}

    def volume(self) -> Object:
        """The manifest of what the claim is bound to."""
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/nowhere"},
            "claimRef": {"namespace": self.name, "name": "data"},
        }
        return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": self.name}, "spec": spec}

    def command(self, version: int, *options: str, name: str = "run", objects: list[Object] | None = None) -> list[str]:
        """The arguments of `handoff` for a version; the operator's own sets are named as `handoff.yaml` would."""
        return [*self.command_without_sets(version, *options, name=name, objects=objects), *self.named()]

    def command_without_sets(
        self, version: int, *options: str, name: str = "run", objects: list[Object] | None = None
    ) -> list[str]:
        """The same, naming none."""
        source = write(self.directory, version, self.objects(version) if objects is None else objects)
        named = ["--component", self.name, "--namespace", self.name, "--version", f"v{version}"]
        return [name, "--source", str(source), *named, *options]

    def named(self) -> list[str]:
        """The options that name the operator's own sets."""
        return [argument for one in self.old_sets for argument in ("--tekton-set", one)]

    def run(
        self,
        version: int,
        *options: str,
        objects: list[Object] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> HookResult:
        return run_handoff(self.cluster, *self.command(version, *options, objects=objects), environment=environment)

    def run_alone(self, version: int, *options: str, objects: list[Object] | None = None) -> HookResult:
        """A run where there are no sets of the operator to take over: it makes the first ones."""
        command = self.command_without_sets(version, *options, objects=objects)
        return run_handoff(self.cluster, *command, environment={"HANDOFF_KIND": "tekton"})

    def run_killed(self, proxy: Proxy, hold: Hold, version: int) -> None:
        """Starts a run through the proxy and kills it (SIGKILL) where `hold` stops it."""
        run_killed(proxy, hold, *self.command(version))
        expire_lease(self.cluster, self.name, self.name)

    def remove(self, *options: str) -> HookResult:
        return run_handoff(self.cluster, "remove", "--component", self.name, "--namespace", self.name, *options)

    def records(self) -> list[Object]:
        return sets_of(self.cluster.api, self.name, self.name)

    def live(self, version: int) -> dict[str, Object]:
        """The live objects of a version's manifests, by `Kind name`."""
        return self.live_of(self.objects(version))

    def live_of(self, objects: Iterable[Object]) -> dict[str, Object]:
        """The live objects of manifests, by `Kind name`."""
        found = read(self.cluster.api, objects, namespace=self.name)
        return {f"{target.kind} {target.name}": obj for target, obj in found.items()}

    def uids(self, version: int) -> dict[str, str]:
        """Those of the live objects that both versions have."""
        other = self.live(3 - version)
        return {name: obj["metadata"]["uid"] for name, obj in self.live(version).items() if name in other}

    def tekton_sets(self) -> list[str]:
        """The names of all its TektonInstallerSets."""
        items = self.cluster.api.request("GET", SETS_PATH).body["items"]
        return sorted(one["metadata"]["name"] for one in items if self.name in one["metadata"]["name"])

    def new_sets(self) -> list[str]:
        """The names of those that a run made."""
        return [name for name in self.tekton_sets() if name not in self.old_sets]

    def listed(self, name: str) -> list[str]:
        """What a set lists, by `Kind name`; nothing where there is no such set."""
        found = self.sets.get(name)
        return sorted(
            f"{m['kind']} {m['metadata']['name']}" for m in (found or {"spec": {"manifests": []}})["spec"]["manifests"]
        )

    def only_old(self) -> list[str]:
        """What version 1 has and version 2 has not."""
        return ["ConfigMap only-in-1", f"{WEBHOOK} {self.name}-1"]

    def state(self) -> dict[str, Object]:
        """All its sets, records and objects of either version, whole: a write changes the resourceVersion at least."""
        found = [one for version in (1, 2) for one in self.live(version).values()]
        found += [one for name in self.tekton_sets() if (one := self.sets.get(name)) is not None]
        return {f"{one['kind']} {one['metadata']['name']}": one for one in (*found, *self.records())}

    @contextmanager
    def probed(self) -> Iterator[None]:
        """Asserts that what is there and both versions have stays there, and the same, from start to end."""
        there = self.live(1)
        shared = [m for m in self.objects(2) if f"{m['kind']} {m['metadata']['name']}" in there]
        targets = targets_of(self.cluster.api, shared, namespace=self.name)
        with Probe(self.cluster.kubeconfig, targets) as probe:
            yield
        assert not probe.report.gone(), [str(one) for one in probe.report.gone()]

    def assert_finished(self, version: int) -> None:
        """Asserts that the version is there, whole and exact, kept by its own three sets, and nothing else is."""
        records = self.records()
        assert [one["spec"]["part"] for one in records] == ["deployment", "statefulset", "static"]
        assert {one["spec"]["version"] for one in records} == {f"v{version}"}
        assert not [one for one in records if "retiredBy" in one["spec"]]
        named = {one["spec"]["operatorSet"]["name"]: one["spec"]["operatorSet"]["uid"] for one in records}
        assert self.tekton_sets() == sorted(named)
        live = self.live(version)
        for name, uid in named.items():
            found = self.sets.get(name)
            assert found is not None
            assert found["metadata"]["uid"] == uid
            assert self.sets.ready(name), found["status"]
            for manifest in found["spec"]["manifests"]:
                stands = live.pop(f"{manifest['kind']} {manifest['metadata']['name']}")
                owners = [one["uid"] for one in stands["metadata"].get("ownerReferences") or ()]
                assert manifest["kind"] == WEBHOOK or owners == [uid], stands["metadata"]
        assert not live, "in the cluster, and listed by no set"
        live, wanted = self.live(version), {f"{m['kind']} {m['metadata']['name']}": m for m in self.objects(version)}
        assert sorted(live) == sorted(wanted)
        assert live["ConfigMap settings"]["data"] == wanted["ConfigMap settings"]["data"]
        assert live["Role app"]["rules"] == wanted["Role app"]["rules"]
        other = 3 - version
        assert not {f"ConfigMap only-in-{other}", f"{WEBHOOK} {self.name}-{other}"} & self.live(other).keys()
        assert ".carry-" not in str([obj["metadata"].get("annotations") for obj in live.values()])
        assert self.saved() is None

    def saved(self) -> Object | None:
        """The Secret with the manifests of old sets, or None."""
        path = f"/api/v1/namespaces/{self.name}/secrets/handoff-{self.name}-tekton-sets"
        answer = self.cluster.api.request("GET", path)
        assert answer.status in (200, 404), answer.body
        return answer.body if answer.status == 200 else None

    def _as_the_operator_has_it(self, obj: Object, owner: Object) -> Object:
        """Transformed: placed in the target namespace, and owned by the component on every object."""
        metadata = {**obj["metadata"], "ownerReferences": [owner]}
        if obj["kind"] not in _CLUSTER_SCOPED:
            metadata["namespace"] = self.name
        return {**obj, "metadata": metadata}


def written(before: Mapping[str, Object], after: Mapping[str, Object]) -> dict[str, tuple[object, object]]:
    """What of two states differs."""
    return {
        name: (before.get(name), after.get(name))
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    }


@contextmanager
def operated_component(cluster: Cluster, operator: OperatorProcess, directory: Path) -> Iterator[OperatedComponent]:
    """A component under a name of its own, in its namespace. All of it goes while the operator still runs."""
    name = f"tekton-{uuid.uuid4().hex[:8]}"
    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}])
    yield OperatedComponent(cluster, name, directory)
    cluster.uncordon()
    operator.start()
    cluster.kubectl("delete", "tektonpipelines,tektoninstallersets", "--all", "--timeout=20s")
    cluster.kubectl("delete", "namespace", name, "--wait=false")
