"""A component that Flux delivers: GitRepository and Kustomization, as `manifests/flux/example.yaml` has them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.flux import NAMESPACE
from tests.cluster.locations import REPOSITORY
from tests.gitops.delivery import PATH, Delivery
from tests.gitops.runs import last_words
from tests.gitops.states import Object, await_state, condition
from tests.node.hook_job import HookJob

_MERGE = "application/merge-patch+json"
_PATHS = {
    "GitRepository": f"/apis/source.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/gitrepositories",
    "Kustomization": f"/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/{NAMESPACE}/kustomizations",
}


class FluxComponent:
    """Both have the component's name. `delivery` is what Git holds, `live` what came of it."""

    def __init__(self, cluster: Cluster, delivery: Delivery, live: HookJob) -> None:
        self._api = cluster.api
        self.delivery, self.live = delivery, live
        self.name = delivery.component

    def create(self, **spec: Any) -> None:
        """Makes both, with the example's settings and `spec` laid over those of the Kustomization."""
        source: Object = {
            "apiVersion": "source.toolkit.fluxcd.io/v1",
            "kind": "GitRepository",
            "metadata": {"name": self.name},
            "spec": {"interval": "1m", "url": self.delivery.repository.url, "ref": {"branch": "main"}},
        }
        kustomization = _example()
        kustomization["metadata"]["name"] = self.name
        kustomization["spec"].update(
            path=f"./{PATH}", sourceRef={"kind": "GitRepository", "name": self.name}, dependsOn=[], **spec
        )
        for item in (source, kustomization):
            made = self._api.request("POST", _PATHS[item["kind"]], item)
            assert made.status == 201, made.body

    def fetch(self) -> None:
        """Lets Flux look into Git at once, as a webhook of the Git server would."""
        self.change("GitRepository", {"metadata": {"annotations": _requested()}})

    def change(self, kind: str, patch: Object) -> None:
        """Merges a patch into one of the two."""
        answer = self._api.request("PATCH", f"{_PATHS[kind]}/{self.name}", patch, content_type=_MERGE)
        assert answer.status == 200, answer.body

    def await_done(self, commit: str) -> Object:
        """Waits until the Kustomization is Ready at a commit."""

        def holds(found: Object) -> bool:
            ready = condition(found, "Ready")
            return ready.get("status") == "True" and _at(found, "lastAppliedRevision", commit)

        what = f"Kustomization {self.name} is Ready at {commit}"
        return await_state(self.kustomization, holds, what, explain=lambda: last_words(self.live))

    def await_failed(self, commit: str) -> str:
        """Waits until the Kustomization says that a commit failed; what it says."""

        def holds(found: Object) -> bool:
            ready = condition(found, "Ready")
            return ready.get("status") == "False" and _at(found, "lastAttemptedRevision", commit)

        found = await_state(self.kustomization, holds, f"Kustomization {self.name} has failed at {commit}")
        ready = condition(found, "Ready")
        return f"{ready['reason']}: {ready['message']}"

    def await_fetched(self, commit: str) -> None:
        """Waits until Flux has a commit, whatever it makes of it."""

        def holds(found: Object) -> bool:
            return str(((found.get("status") or {}).get("artifact") or {}).get("revision", "")).endswith(commit)

        await_state(lambda: self._get("GitRepository"), holds, f"{commit} is fetched")

    def delete(self) -> None:
        """Deletes the Kustomization; returns when it is gone."""
        self._api.request("DELETE", f"{_PATHS['Kustomization']}/{self.name}")
        await_state(self.kustomization, lambda found: found.get("kind") == "Status", f"{self.name} is gone")

    def inventory(self) -> list[str]:
        """What Flux tracks: `namespace_name_group_kind` of each object."""
        entries = (self.kustomization()["status"].get("inventory") or {}).get("entries") or []
        return sorted(entry["id"] for entry in entries)

    def kustomization(self) -> Object:
        """The Kustomization as it is; a Status when there is none."""
        return self._get("Kustomization")

    def _get(self, kind: str) -> Object:
        return self._api.request("GET", f"{_PATHS[kind]}/{self.name}").body


def _at(found: Object, field: str, commit: str) -> bool:
    status = found.get("status") or {}
    observed = status.get("observedGeneration") == found["metadata"]["generation"]
    return observed and str(status.get(field, "")).endswith(commit)


def _requested() -> dict[str, str]:
    return {"reconcile.fluxcd.io/requestedAt": str(time.time_ns())}


def _example() -> Object:
    documents: Sequence[Object] = list(
        yaml.safe_load_all((REPOSITORY / "manifests/flux/example.yaml").read_text("utf-8"))
    )
    found = next(item for item in documents if item["metadata"]["name"] == "my-component")
    copied: Object = json.loads(json.dumps(found))
    return copied
