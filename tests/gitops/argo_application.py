"""A component that Argo CD delivers: its Application, as `manifests/argocd/example.yaml` has it."""

from __future__ import annotations

import copy
import re
from typing import Any

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.argocd import NAMESPACE
from tests.cluster.locations import REPOSITORY
from tests.gitops.delivery import PATH, Delivery
from tests.gitops.runs import last_words
from tests.gitops.states import PATIENCE, Object, await_state
from tests.node.hook_job import HookJob

_MERGE = "application/merge-patch+json"
_PATH = f"/apis/argoproj.io/v1alpha1/namespaces/{NAMESPACE}/applications"


class ArgoApplication:
    """It has the component's name. `delivery` is what Git holds, `live` what came of it."""

    def __init__(self, cluster: Cluster, delivery: Delivery, live: HookJob) -> None:
        self._api = cluster.api
        self.delivery, self.live = delivery, live
        self.name = delivery.component

    def create(self, *, retries: int = 0) -> None:
        """Makes it, with the example's settings but for the number of retries."""
        application = _example()
        application["metadata"]["name"] = self.name
        spec = application["spec"]
        spec["source"].update(repoURL=self.delivery.repository.url, path=PATH)
        spec["destination"]["namespace"] = self.delivery.namespace
        spec["syncPolicy"]["retry"]["limit"] = retries
        made = self._api.request("POST", _PATH, application)
        assert made.status == 201, made.body

    def fetch(self) -> None:
        """Lets Argo CD look into Git at once, as a webhook of the Git server would."""
        self.change({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}})

    def sync(self, **options: Any) -> None:
        """Starts an operation as a person would, with the Application's own options, which its API would add."""
        settings = _example()["spec"]["syncPolicy"]["syncOptions"]
        sync = {"prune": True, "syncOptions": settings, **options}
        self.change({"operation": {"initiatedBy": {"username": "tests"}, "sync": sync}})

    def terminate(self) -> None:
        """Ends the operation that runs."""
        self.change({"status": {"operationState": {"phase": "Terminating"}}})

    def automate(self, automated: Object | None) -> None:
        """Replaces the policy of automated syncs; None turns them off."""
        self.change({"spec": {"syncPolicy": {"automated": automated}}})

    def change(self, patch: Object) -> None:
        """Merges a patch into it."""
        answer = self._api.request("PATCH", f"{_PATH}/{self.name}", patch, content_type=_MERGE)
        assert answer.status == 200, answer.body

    def await_done(self, commit: str) -> Object:
        """Waits until a commit is synced, and its operation has ended well; the Application."""

        def holds(found: Object) -> bool:
            sync = (found.get("status") or {}).get("sync") or {}
            ended = _operation(found, commit).get("phase") == "Succeeded" and "operation" not in found
            return ended and (sync.get("status"), sync.get("revision")) == ("Synced", commit)

        what = f"{self.name} is synced to {commit}"
        return await_state(self.application, holds, what, explain=lambda: last_words(self.live))

    def await_operation(self, commit: str, phase: str) -> Object:
        """Waits for an operation on a commit to be in a phase; the operation's state."""

        def holds(found: Object) -> bool:
            return _operation(found, commit).get("phase") == phase

        found = await_state(self.application, holds, f"the operation of {self.name} on {commit} is {phase}")
        return _operation(found, commit)

    def delete(self, *, timeout: float = PATIENCE) -> None:
        """Deletes the Application; returns when it is gone."""
        self._api.request("DELETE", f"{_PATH}/{self.name}")
        what = f"{self.name} is gone"
        await_state(self.application, lambda found: found.get("kind") == "Status", what, timeout=timeout)

    def tracked(self) -> set[str]:
        """What Argo CD tracks, as KIND/NAME without the suffixes by content."""
        resources = self.application()["status"].get("resources") or []
        return {re.sub(r"(handoff-input)-\w+$", r"\1", f"{one['kind']}/{one['name']}") for one in resources}

    def told(self) -> list[str]:
        """What Argo CD said about it in Events."""
        found = self._api.request("GET", f"/api/v1/namespaces/{NAMESPACE}/events").body["items"]
        return [event["message"] for event in found if event["involvedObject"]["name"] == self.name]

    def application(self) -> Object:
        """The Application as it is; a Status when there is none."""
        return self._api.request("GET", f"{_PATH}/{self.name}").body


def hook_result(operation: Object) -> Object:
    """What an operation says about the hook Job; empty where it says nothing."""
    resources = (operation.get("syncResult") or {}).get("resources") or []
    return next((one for one in resources if one["kind"] == "Job"), {})


def _operation(found: Object, commit: str) -> Object:
    state: Object = (found.get("status") or {}).get("operationState") or {}
    return state if (state.get("syncResult") or {}).get("revision") == commit else {}


def _example() -> Object:
    return copy.deepcopy(yaml.safe_load((REPOSITORY / "manifests/argocd/example.yaml").read_text("utf-8")))
