"""The product as it is delivered: the image, run by the Jobs of `manifests/` under their rights or the printed ones."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY
from tests.cluster.node import containerd
from tests.cluster.processes import wait_until
from tests.hook_process import run_handoff

_MANIFESTS = REPOSITORY / "manifests"
RUN, REMOVAL = "handoff", "handoff-removal"  # the Jobs' names


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

    def deliver(
        self,
        version: str,
        objects: Sequence[Mapping[str, Any]],
        beside: Sequence[Mapping[str, Any]] | None = None,
        **environment: str,
    ) -> None:
        """Ends the last Job and starts the next, as the base's own comment tells people to.

        The rights are those of `manifests/rbac/namespaced`; with `beside`, the objects of another version, those that
        `handoff rbac` prints for the two.
        """
        directory = self._directory / version
        directory.mkdir(exist_ok=True)
        (directory / "release.yaml").write_text(yaml.safe_dump_all(objects))
        rights = os.path.relpath(_MANIFESTS / "rbac/namespaced", directory)
        if beside is not None:
            rights = self._print_rights(directory, beside)
        settings = {"HANDOFF_VERSION": version, **environment}
        self._start(
            directory,
            RUN,
            [os.path.relpath(_MANIFESTS / "job", directory), rights],
            settings,
            {"configMapGenerator": [{"name": "handoff-input", "behavior": "replace", "files": ["release.yaml"]}]},
        )

    def remove(self) -> None:
        """Starts the Job that takes the component away, with the rights of the last delivery."""
        directory = self._directory / "removal"
        directory.mkdir(exist_ok=True)
        self._start(directory, REMOVAL, [os.path.relpath(_MANIFESTS / "removal", directory)], {}, {})

    def wait(self, job: str = RUN, *, timeout: float = 120.0) -> Ended:
        """Waits until the Job has ended; how its last pod did."""

        def over() -> bool:
            conditions = self.get("jobs.batch", job).get("status", {}).get("conditions") or []
            return any(c["type"] in ("Complete", "Failed") and c["status"] == "True" for c in conditions)

        wait_until(over, f"the Job {job} of {self.component} has ended", timeout=timeout, pause=0.3)
        last = self.pods(job)[-1]
        state = last["status"]["containerStatuses"][0]["state"]["terminated"]
        return Ended(state["exitCode"], state.get("message", ""), self.logs(last["metadata"]["name"]))

    def pods(self, job: str = RUN) -> list[dict[str, Any]]:
        """The pods of the present Job, the oldest first."""
        items = self._list("pods", "-l", f"batch.kubernetes.io/job-name={job}")
        return sorted(items, key=lambda pod: str(pod["metadata"]["creationTimestamp"]))

    def logs(self, pod: str) -> str:
        """What a pod has logged so far."""
        return self._cluster.kubectl("logs", "-n", self.namespace, pod).stdout

    def sets(self) -> dict[str, list[tuple[str, str, str]]]:
        """Version to (part, phase, Ready) of each set."""
        found: dict[str, list[tuple[str, str, str]]] = {}
        for item in self._list("installersets"):
            ready = next(c["status"] for c in item["status"]["conditions"] if c["type"] == "Ready")
            phase = item["metadata"]["labels"]["installersets.io/phase"]
            found.setdefault(item["spec"]["version"], []).append((item["spec"]["part"], phase, ready))
        return {version: sorted(sets) for version, sets in found.items()}

    def uids(self, kind: str, *arguments: str) -> set[str]:
        """The uids of the namespace's objects of a kind."""
        return {item["metadata"]["uid"] for item in self._list(kind, *arguments)}

    def events(self) -> list[dict[str, Any]]:
        """Those on the sets."""
        return self._list("events", "--field-selector=involvedObject.kind=InstallerSet")

    def lease_holder(self) -> str:
        """Who holds the component's Lease; empty when nobody does."""
        lease = self.get("leases.coordination.k8s.io", f"handoff-{self.component}")
        return str(lease["spec"].get("holderIdentity") or "")

    def get(self, kind: str, name: str) -> dict[str, Any]:
        """One object of the namespace; an empty mapping when it is not there."""
        told = self._cluster.kubectl("get", kind, name, "-n", self.namespace, "-o=json", "--ignore-not-found").stdout
        decoded: dict[str, Any] = json.loads(told or "{}")
        return decoded

    def kill(self, pod: dict[str, Any]) -> None:
        """Ends the process of a pod's container with SIGKILL, from the node and without anybody's knowledge."""
        _, _, container = pod["status"]["containerStatuses"][0]["containerID"].partition("://")
        assert self._cluster.directory is not None
        containerd.ctr(self._cluster.directory, "tasks", "kill", "--signal=SIGKILL", container)

    def terminated(self, pod: str) -> dict[str, Any]:
        """Deletes a pod; how its container ended: see `_ended`."""
        return self._ended(pod, lambda path: self._cluster.api.request("DELETE", path))

    def evicted(self, pod: str) -> dict[str, Any]:
        """Evicts a pod as a drain does; how its container ended: see `_ended`."""
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": self.namespace}}
        return self._ended(pod, lambda path: self._cluster.api.request("POST", f"{path}/eviction", body))

    def _ended(self, pod: str, end: Callable[[str], Any], *, timeout: float = 60.0) -> dict[str, Any]:
        """The container's last state, with `seconds` from the deletion to its end, by the server's and the node's
        clocks (both this machine's, in whole seconds), and `conditions` of its pod."""
        path = f"/api/v1/namespaces/{self.namespace}/pods"
        listed = self._cluster.api.request("GET", path).body["metadata"]["resourceVersion"]
        query = {"watch": "1", "resourceVersion": listed, "fieldSelector": f"metadata.name={pod}"}
        watch = self._cluster.api.raw("GET", path, query=query, timeout=timeout, stream=True)
        try:
            answer = end(f"{path}/{pod}")
            assert answer.status in (200, 201), answer.body
            for line in watch:
                seen = json.loads(line)["object"]
                state = seen["status"]["containerStatuses"][0]["state"]
                if "terminated" in state:
                    # The server writes when the grace will be over.
                    over = datetime.fromisoformat(seen["metadata"]["deletionTimestamp"])
                    grace = timedelta(seconds=seen["metadata"]["deletionGracePeriodSeconds"])
                    lasted = datetime.fromisoformat(state["terminated"]["finishedAt"]) - (over - grace)
                    conditions = {c["type"]: c.get("reason", "") for c in seen["status"]["conditions"]}
                    return {**state["terminated"], "seconds": lasted.total_seconds(), "conditions": conditions}
        finally:
            watch.close()
        raise AssertionError(f"the watch of pod {pod} ended before the pod did")

    def _start(
        self, directory: Path, job: str, bases: Sequence[str], settings: Mapping[str, str], more: Mapping[str, Any]
    ) -> None:
        env = [
            {"name": key, "value": value} for key, value in {"HANDOFF_COMPONENT": self.component, **settings}.items()
        ]
        patch = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": job},
            "spec": {"template": {"spec": {"containers": [{"name": "handoff", "env": env}]}}},
        }
        name, _, tag = self._image.partition(":")
        (directory / "kustomization.yaml").write_text(
            yaml.safe_dump(
                {
                    "namespace": self.namespace,
                    "resources": list(bases),
                    "images": [{"name": "handoff", "newName": name, "newTag": tag}],
                    "patches": [{"patch": yaml.safe_dump(patch)}],
                    **more,
                }
            )
        )
        kubectl = self._cluster.kubectl
        kubectl("delete", "job", job, "-n", self.namespace, "--ignore-not-found", "--wait")
        kubectl("apply", "--server-side", "-k", str(directory))

    def _print_rights(self, directory: Path, beside: Sequence[Mapping[str, Any]]) -> str:
        other, printed = directory / "beside.yaml", directory / "rights.yaml"
        other.write_text(yaml.safe_dump_all(beside))
        named = (f"--component={self.component}", f"--namespace={self.namespace}", "--with-service-account")
        sources = (f"--source={directory / 'release.yaml'}", f"--previous={other}")
        result = run_handoff(None, "rbac", *sources, *named)
        assert result.exit_code == 0, result
        printed.write_text(result.stdout)  # JSON is YAML
        return printed.name

    def _list(self, kind: str, *arguments: str) -> list[dict[str, Any]]:
        told = self._cluster.kubectl("get", kind, "-n", self.namespace, *arguments, "-o=json").stdout
        items: list[dict[str, Any]] = json.loads(told)["items"]
        return items
