"""Jobs as the hook sees its own: objects by name and uid. Their pods are the processes that a test starts."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Job:
    """`environment` is what the pod's template hands to the hook."""

    name: str
    uid: str
    created: str

    @property
    def environment(self) -> Mapping[str, str]:
        return {"HANDOFF_JOB_NAME": self.name, "HANDOFF_JOB_UID": self.uid}


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs of one namespace; `directory` is for the kubeconfigs of their pods."""

    cluster: Cluster
    namespace: str
    directory: Path

    def create(self, name: str) -> Job:
        """A Job that the cluster starts no pod for."""
        container = {"name": "handoff", "image": "example.test/handoff"}
        body = {
            "metadata": {"name": name},
            "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
        }
        made = self.cluster.api.request("POST", self._path, body)
        assert made.status == 201, made.body
        metadata = made.body["metadata"]
        return Job(name, metadata["uid"], metadata["creationTimestamp"])

    def create_two_at_once(self) -> tuple[Job, Job]:
        """Two of one second, the one with the lesser uid first."""
        for number in range(20):
            pair = self.create(f"first-{number}"), self.create(f"second-{number}")
            if pair[0].created == pair[1].created:
                lesser, greater = sorted(pair, key=lambda job: job.uid)
                return lesser, greater
        raise AssertionError("twenty times the second changed between two requests")

    def create_later(self, job: Job, name: str) -> Job:
        """A Job of a later second than that one's."""
        until = time.monotonic() + 10.0
        number = 0
        while time.monotonic() < until:
            later = self.create(f"{name}-{number}")
            if later.created > job.created:
                return later
            self.delete(later)
            number += 1
            time.sleep(0.05)
        raise AssertionError("the second never changes")

    def delete(self, job: Job) -> None:
        """Deletes it; it is gone, or being deleted, on return."""
        answer = self.cluster.api.request(
            "DELETE", f"{self._path}/{job.name}", {"kind": "DeleteOptions", "propagationPolicy": "Background"}
        )
        assert answer.status == 200, answer.body

    def kubeconfig(self, original: Path | None = None) -> Path:
        """As a pod in this namespace sees the cluster; `original` is another way to it, such as a proxy's."""
        document = json.loads((original or self.cluster.kubeconfig).read_text())
        document["contexts"][0]["context"]["namespace"] = self.namespace
        path = self.directory / f"kubeconfig-{'direct' if original is None else 'proxy'}"
        path.write_text(json.dumps(document))
        return path

    @property
    def _path(self) -> str:
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs"
