"""What a handoff makes of real pods: probes, crash loops, images that are not there, rollouts in their order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.hook_process import HookResult, run_handoff

pytestmark = pytest.mark.node

Object = dict[str, Any]


class Release:
    """A component in a namespace of its own."""

    def __init__(self, cluster: Cluster, name: str, directory: Path) -> None:
        self.cluster, self.name, self.directory = cluster, name, directory
        cluster.kubectl("create", "namespace", name)

    def run(self, *objects: Object, timeout: str = "90s") -> HookResult:
        source = self.directory / "release.json"
        source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        named = (f"--component={self.name}", f"--namespace={self.name}", f"--timeout={timeout}")
        return run_handoff(self.cluster, "run", "--source", source, *named)

    def pods(self, app: str) -> list[Object]:
        """Living ones, by name."""
        told = self.cluster.kubectl("get", "pods", "-n", self.name, "-l", f"app={app}", "-o=json").stdout
        items = [pod for pod in json.loads(told)["items"] if not pod["metadata"].get("deletionTimestamp")]
        return sorted(items, key=lambda pod: str(pod["metadata"]["name"]))


@pytest.fixture
def release(node_cluster: Cluster, component: str, tmp_path: Path) -> Release:
    return Release(node_cluster, component, tmp_path)


def template(app: str, image: str, *arguments: str, probe_delay: int | None = None, broken: bool = False) -> Object:
    container: Object = {
        "name": "main",
        "image": image,
        "env": [{"name": "BROKEN", "value": "yes" if broken else "no"}],
    }
    if arguments:
        container["args"] = list(arguments)
    if probe_delay is not None:
        probe = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1}
        container["readinessProbe"] = {**probe, "initialDelaySeconds": probe_delay}
    return {
        "metadata": {"labels": {"app": app}},
        "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]},
    }


def workload(kind: str, app: str, pod: Object, **spec: Any) -> Object:
    selector = {"matchLabels": {"app": app}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": app},
        "spec": {"selector": selector, "template": pod, **spec},
    }


def config_map(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


def ready_at(pod: Object) -> str:
    return str(next(c["lastTransitionTime"] for c in pod["status"]["conditions"] if c["type"] == "Ready"))


def generation(version: str, image: str, probe_delay: int) -> list[Object]:
    pods = {app: template(app, image, probe_delay=probe_delay) for app in ("web", "store", "agent")}
    return [
        config_map(f"only-{version}"),
        workload("Deployment", "web", pods["web"], replicas=2),
        workload("StatefulSet", "store", pods["store"], replicas=2, serviceName="store"),
        workload("DaemonSet", "agent", pods["agent"], updateStrategy={"type": "OnDelete"}),
    ]


def test_retirement_waits_for_probes_and_for_rollouts_in_their_order(release: Release, servers: dict[str, str]) -> None:
    """New pods are Ready three seconds after their start; a StatefulSet replaces its pods one by one, the last first;
    what an OnDelete DaemonSet leaves running is told, and not waited for."""
    first = release.run(*generation("v1", servers["v1"], 0))
    assert first.exit_code == 0, first
    second = release.run(*generation("v2", servers["v2"], 3))
    assert second.exit_code == 0, second
    old = release.cluster.kubectl("get", "configmap", "-n", release.name, "only-v1", check=False)
    assert "NotFound" in old.stderr
    told = release.cluster.kubectl("get", "iset", "-n", release.name, "-o=json").stdout
    retired_after = [
        c["lastTransitionTime"]
        for one in json.loads(told)["items"]
        for c in one["status"]["conditions"]
        if c["type"] == "Ready"
    ]
    for app in ("web", "store"):
        pods = release.pods(app)
        assert [pod["spec"]["containers"][0]["image"] for pod in pods] == [servers["v2"]] * 2
        assert max(ready_at(pod) for pod in pods) <= min(retired_after)
    store_0, store_1 = release.pods("store")
    assert ready_at(store_1) <= store_0["metadata"]["creationTimestamp"]
    assert [pod["spec"]["containers"][0]["image"] for pod in release.pods("agent")] == [servers["v1"]]
    warned = {entry["object"]: entry["why"] for entry in second.report["warnings"]}
    assert "OnDelete" in warned[f"DaemonSet.apps {release.name}/agent"]


def test_what_is_wrong_with_pods_is_told_in_the_end(release: Release, servers: dict[str, str]) -> None:
    absent = "localhost:1/absent:v1"
    result = release.run(
        workload("Deployment", "crashing", template("crashing", servers["v1"], "get", "http://127.0.0.1:1/")),
        workload("Deployment", "unpulled", template("unpulled", absent)),
        workload("Deployment", "unready", template("unready", servers["v1"], probe_delay=0, broken=True)),
        timeout="20s",
    )
    assert result.exit_code == 124, result
    lines = {line.strip().partition(": ")[0]: line for line in result.report["message"].splitlines()[1:]}
    causes = {
        "crashing": "last exit code 1",
        "unpulled": f"image {absent} cannot be pulled",
        "unready": "Readiness probe failed: HTTP probe failed with statuscode: 404",
    }
    for name, cause in causes.items():
        assert cause in lines[f"Deployment.apps {release.name}/{name}"]


def test_a_job_that_fails_ends_the_handoff_at_once(release: Release, servers: dict[str, str]) -> None:
    pod = template("migrate", servers["v1"], "get", "http://127.0.0.1:1/")
    pod["spec"]["restartPolicy"] = "Never"
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "migrate"},
        "spec": {"backoffLimit": 0, "template": pod},
    }
    web = workload("Deployment", "web", template("web", servers["v1"], probe_delay=0, broken=True))
    result = release.run(job, web)
    assert result.exit_code == 4, result
    assert result.report["message"].startswith(f"Job.batch {release.name}/migrate: Failed: it has failed")
    assert result.report["seconds"]["wait"] < 45
