"""One component in a namespace of the shared cluster: run its versions, kill runs, look at what stands."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Hold, Proxy
from tests.hook_process import HookResult, handoff, run_handoff
from tests.integration.small_component import PARTS, manifests, write
from tests.live_objects import Object, read, sets_of


@dataclass(frozen=True, slots=True)
class ComponentRun:
    """`directory` is where manifest files are written."""

    cluster: Cluster
    namespace: str
    component: str
    directory: Path

    def command(
        self, version: int, *options: str, pods: Mapping[str, str] | None = None, name: str = "run"
    ) -> list[str]:
        """The arguments of `handoff` for a version of the small component."""
        source = write(self.directory, version, manifests(version, pods))
        named = ["--component", self.component, "--namespace", self.namespace, "--version", f"v{version}"]
        return [name, "--source", str(source), *named, *options]

    def run(self, version: int, *options: str, pods: Mapping[str, str] | None = None) -> HookResult:
        """Runs it to its end."""
        return run_handoff(self.cluster, *self.command(version, *options, pods=pods))

    def run_killed(self, proxy: Proxy, hold: Hold, version: int, *, name: str = "run") -> None:
        """Starts a run through the proxy and kills it (SIGKILL) where `hold` stops it."""
        run_killed(proxy, hold, *self.command(version, name=name))
        expire_lease(self.cluster, self.namespace, self.component)

    def sets(self) -> list[Object]:
        """The component's sets."""
        return sets_of(self.cluster.api, self.namespace, self.component)

    def live(self, version: int) -> dict[str, Object]:
        """The live objects of a version's manifests, by `Kind name`."""
        found = read(self.cluster.api, manifests(version), namespace=self.namespace)
        return {f"{target.kind} {target.name}": obj for target, obj in found.items()}

    def assert_finished(self, version: int) -> None:
        """Asserts that the version is there, whole and exact, and that nothing is left of the other one."""
        other = 3 - version
        sets = self.sets()
        assert [one["spec"]["part"] for one in sets] == sorted(PARTS)
        assert {one["spec"]["version"] for one in sets} == {f"v{version}"}
        assert len({one["spec"]["digest"] for one in sets}) == 1
        assert not [one for one in sets if "retiredBy" in one["spec"]]
        listed = sorted(f"{entry['kind']} {entry['name']}" for one in sets for entry in one["spec"]["resources"])
        assert listed == sorted(f"{m['kind']} {m['metadata']['name']}" for m in manifests(version))
        live = self.live(version)
        assert sorted(live) == listed
        wanted = {f"{m['kind']} {m['metadata']['name']}": m for m in manifests(version)}
        assert live["ConfigMap settings"]["data"] == wanted["ConfigMap settings"]["data"]
        assert live["Role app"]["rules"] == wanted["Role app"]["rules"]
        ports = [port["name"] for port in live["Service app"]["spec"]["ports"]]
        assert ports == [port["name"] for port in wanted["Service app"]["spec"]["ports"]]
        for workload in ("Deployment app", "StatefulSet store"):
            template = wanted[workload]["spec"]["template"]
            assert (
                live[workload]["spec"]["template"]["spec"]["containers"][0]["image"]
                == (template["spec"]["containers"][0]["image"])
            )
        assert f"ConfigMap only-in-{other}" not in self.live(other)
        assert ".carry-" not in str([obj["metadata"].get("annotations") for obj in live.values()])


def run_killed(proxy: Proxy, hold: Hold, *command: str) -> None:
    """Starts `handoff` through the proxy and kills it (SIGKILL) where `hold` stops it; nothing is on its way then."""
    with handoff(None, *command, kubeconfig=proxy.kubeconfig) as process:
        process.until(lambda: hold.reached, "the request at which it is to be killed", timeout=120)
        hold.wait()
        process.send(signal.SIGKILL)
        assert process.wait().exit_code == -signal.SIGKILL
        hold.drop()


def expire_lease(cluster: Cluster, namespace: str, component: str) -> None:
    """Makes the Lease of a killed run end after a second, so that the next run does not have to wait for half a
    minute."""
    path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/handoff-{component}"
    patch = {"spec": {"leaseDurationSeconds": 1}}
    answer = cluster.api.request("PATCH", path, patch, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body
