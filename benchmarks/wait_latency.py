"""How soon a handoff moves on: `python -m benchmarks.wait_latency [RUNS]`.

On a cluster of its own, handoffs between two versions of a Deployment whose new pod is made Ready from outside. A watch
beside the hook notes the event that makes the Deployment ready, and the event of the hook's first write after that
(Ready=True on the new sets). Between them lie the stability time (1 s, for two Ready reads) and what is measured here.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import urllib3

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster, start_cluster
from tests.hook_process import handoff, run_handoff

STABILITY = 1.0
_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
_SETS = "/apis/installersets.io/v1alpha1/namespaces/default/installersets"


class Events:
    """The moments at which events of a collection came in, in a thread of its own."""

    def __init__(self, cluster: Cluster, path: str) -> None:
        self.seen: list[tuple[float, dict[str, Any]]] = []
        api = Api(cluster.kubeconfig)
        version = api.request("GET", path).body["metadata"]["resourceVersion"]
        self._stream = api.raw(
            "GET", path, query={"watch": "1", "resourceVersion": version}, timeout=600.0, stream=True
        )
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        # It ends with the cluster, rudely.
        with contextlib.suppress(urllib3.exceptions.HTTPError):
            for line in self._stream:
                self.seen.append((time.monotonic(), json.loads(line)["object"]))


def main(runs: int) -> int:
    """Prints the figures; 1 when the middle one is above 100 ms."""
    with tempfile.TemporaryDirectory() as directory, start_cluster() as cluster:
        command = ("--component=shop", "--namespace=default", "--timeout=120s")
        first = run_handoff(cluster, "run", "--source", _release(Path(directory), 0), *command)
        if first.exit_code != 0:
            raise RuntimeError(str(first))
        delays = []
        for number in range(1, runs + 1):
            deployments, sets = Events(cluster, _DEPLOYMENTS), Events(cluster, _SETS)
            with handoff(cluster, "run", "--source", _release(Path(directory), number), *command) as process:
                process.until(lambda: process.logged('"waiting"'), "it waits")
                cluster.kubectl("annotate", "pods", "--all", "pods.test/ready-after-")
                result = process.wait()
            if result.exit_code != 0:
                raise RuntimeError(str(result))
            ready = next(at for at, obj in deployments.seen if _available(obj, number + 1))
            moved = next(at for at, obj in sets.seen if at > ready and _is_ready(obj, f"v{number}"))
            delays.append(1000 * (moved - ready - STABILITY))
            sys.stdout.write(f"run {number}: {delays[-1]:.0f} ms after the event and the {STABILITY:g} s\n")
    middle = statistics.median(delays)
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    sys.stdout.write(
        f"{runs} runs: median {middle:.0f} ms, least {min(delays):.0f} ms, most {max(delays):.0f} ms "
        f"(load per core {load:.1f})\n"
    )
    return 1 if middle > 100 else 0


def _release(directory: Path, number: int) -> Path:
    pods = {"pods.test/ready-after": "never"} if number else {}
    pod = {
        "metadata": {"labels": {"app": "web"}, "annotations": pods},
        "spec": {"containers": [{"name": "main", "image": f"example.test/web:{number}"}]},
    }
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": pod}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"only-{number}"}}
    path = directory / f"v{number}"
    path.mkdir()
    (path / "handoff.yaml").write_text(f"version: v{number}\n")
    (path / "release.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [web, settings]}))
    return path


def _available(deployment: dict[str, Any], generation: int) -> bool:
    status = deployment.get("status") or {}
    progressing = [c for c in status.get("conditions") or () if c["type"] == "Progressing"]
    return (
        status.get("observedGeneration") == generation
        and status.get("availableReplicas") == status.get("updatedReplicas") == status.get("replicas") == 1
        and any(c["reason"] == "NewReplicaSetAvailable" for c in progressing)
    )


def _is_ready(one: dict[str, Any], version: str) -> bool:
    conditions = (one.get("status") or {}).get("conditions") or ()
    return one["spec"]["version"] == version and any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
