"""The product as it is delivered: the image, run by `manifests/job` under `manifests/rbac/namespaced`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY
from tests.cluster.processes import wait_until

_MANIFESTS = REPOSITORY / "manifests"


@dataclass(frozen=True, slots=True)
class Ended:
    """How the container of a run ended."""

    exit_code: int
    message: str
    logs: str


class HookJob:
    """One component, delivered to one namespace again and again."""

    def __init__(self, cluster: Cluster, namespace: str, component: str, image: str, directory: Path) -> None:
        self._cluster = cluster
        self._directory = directory
        self._image = image
        self.namespace, self.component = namespace, component

    def deliver(self, version: str, objects: Sequence[Mapping[str, Any]], **environment: str) -> None:
        """Ends the last Job and starts the next, as the base's own comment tells people to."""
        directory = self._directory / version
        directory.mkdir(exist_ok=True)
        (directory / "release.yaml").write_text(yaml.safe_dump_all(objects))
        settings = {"HANDOFF_COMPONENT": self.component, "HANDOFF_VERSION": version, **environment}
        container = {"name": "handoff", "env": [{"name": key, "value": value} for key, value in settings.items()]}
        name, _, tag = self._image.partition(":")
        (directory / "kustomization.yaml").write_text(
            yaml.safe_dump(
                {
                    "namespace": self.namespace,
                    "resources": [os.path.relpath(_MANIFESTS / base, directory) for base in ("job", "rbac/namespaced")],
                    "images": [{"name": "handoff", "newName": name, "newTag": tag}],
                    "configMapGenerator": [{"name": "handoff-input", "behavior": "replace", "files": ["release.yaml"]}],
                    "patches": [
                        {
                            "patch": yaml.safe_dump(
                                {
                                    "apiVersion": "batch/v1",
                                    "kind": "Job",
                                    "metadata": {"name": "handoff"},
                                    "spec": {"template": {"spec": {"containers": [container]}}},
                                }
                            )
                        }
                    ],
                }
            )
        )
        kubectl = self._cluster.kubectl
        kubectl("delete", "job", "handoff", "-n", self.namespace, "--ignore-not-found", "--wait")
        kubectl("apply", "--server-side", "-k", str(directory))

    def wait(self, *, timeout: float = 120.0) -> Ended:
        """Waits until the Job has ended; how its last pod did."""

        def over() -> bool:
            conditions = self.get("jobs.batch", "handoff").get("status", {}).get("conditions") or []
            return any(c["type"] in ("Complete", "Failed") and c["status"] == "True" for c in conditions)

        wait_until(over, f"the Job of {self.component} has ended", timeout=timeout, pause=0.3)
        state = self.pods()[-1]["status"]["containerStatuses"][0]["state"]["terminated"]
        logs = self._cluster.kubectl("logs", "-n", self.namespace, "job/handoff").stdout
        return Ended(state["exitCode"], state.get("message", ""), logs)

    def pods(self) -> list[dict[str, Any]]:
        """The pods of the present Job, the oldest first."""
        items = self._list("pods", "-l", "batch.kubernetes.io/job-name=handoff")
        return sorted(items, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def sets(self) -> dict[str, list[tuple[str, str, str]]]:
        """Version to (part, phase, Ready) of each set."""
        found: dict[str, list[tuple[str, str, str]]] = {}
        for item in self._list("installersets"):
            ready = next(c["status"] for c in item["status"]["conditions"] if c["type"] == "Ready")
            phase = item["metadata"]["labels"]["installersets.io/phase"]
            found.setdefault(item["spec"]["version"], []).append((item["spec"]["part"], phase, ready))
        return {version: sorted(sets) for version, sets in found.items()}

    def lease_holder(self) -> str:
        """Who holds the component's Lease; empty when nobody does."""
        lease = self.get("leases.coordination.k8s.io", f"handoff-{self.component}")
        return str(lease["spec"].get("holderIdentity") or "")

    def get(self, kind: str, name: str) -> dict[str, Any]:
        """One object of the namespace; an empty mapping when it is not there."""
        told = self._cluster.kubectl("get", kind, name, "-n", self.namespace, "-o=json", "--ignore-not-found").stdout
        decoded: dict[str, Any] = json.loads(told or "{}")
        return decoded

    def terminated(self, pod: str, *, timeout: float = 60.0) -> dict[str, Any]:
        """Deletes a pod; how its container ended, with `seconds` from the deletion to its end, by the server's and
        the node's clocks (both this machine's, in whole seconds)."""
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        listed = self._cluster.api.request("GET", path).body["metadata"]["resourceVersion"]
        query = {"watch": "1", "resourceVersion": listed, "fieldSelector": f"metadata.name={pod}"}
        watch = self._cluster.api.raw("GET", path, query=query, timeout=timeout, stream=True)
        try:
            deleted = self._cluster.api.request("DELETE", f"{path}/{pod}")
            assert deleted.status == 200, deleted.body
            for line in watch:
                seen = json.loads(line)["object"]
                state = seen["status"]["containerStatuses"][0]["state"]
                if "terminated" in state:
                    # The server writes when the grace will be over.
                    over = datetime.fromisoformat(seen["metadata"]["deletionTimestamp"])
                    grace = timedelta(seconds=seen["metadata"]["deletionGracePeriodSeconds"])
                    lasted = datetime.fromisoformat(state["terminated"]["finishedAt"]) - (over - grace)
                    return {**state["terminated"], "seconds": lasted.total_seconds()}
        finally:
            watch.close()
        raise AssertionError(f"the watch of pod {pod} ended before the pod did")

    def _list(self, kind: str, *arguments: str) -> list[dict[str, Any]]:
        told = self._cluster.kubectl("get", kind, "-n", self.namespace, *arguments, "-o=json").stdout
        items: list[dict[str, Any]] = json.loads(told)["items"]
        return items
