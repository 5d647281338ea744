"""The part of the operator's component reconcilers that a handoff must not wake: it takes sets by their labels.

operator: client/check.go:checkSet, client/main_set.go:MainSet, client/create.go:makeMainSets, client/cleanup.go, for
the component TektonPipeline and its main sets.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tests.cluster.api import Api
from tests.tekton.controller import work
from tests.tekton.definitions import API_VERSION, PIPELINE, PIPELINES_PATH, SET, SETS_PATH
from tests.tekton.informers import Informer
from tests.tekton.installation import HASH, ReconcileAgain, digest
from tests.tekton.live import ApiError
from tests.tekton.ownership import controller_of, controller_reference
from tests.tekton.work_queue import WorkQueue

Object = dict[str, Any]
CREATED_BY, TYPE = "operator.tekton.dev/created-by", "operator.tekton.dev/type"
RELEASE_VERSION = "operator.tekton.dev/release-version"
TARGET_NAMESPACE = "operator.tekton.dev/target-namespace"
_OF_DEPLOYMENTS = ("Deployment", "Service")
_logger = logging.getLogger(__name__)


def run_component_controller(api: Api, version: str, manifests: Sequence[Object], *, delay: float) -> None:
    """Starts it in threads, as an operator of `version` that brings `manifests`; woken by components and their sets."""
    queue = WorkQueue()

    def set_changed(obj: Mapping[str, Any]) -> None:
        owner = controller_of(obj, PIPELINE)
        if owner is not None:
            queue.add(owner)

    components = Informer(api, PIPELINES_PATH, lambda component: queue.add(component["metadata"]["name"]))
    sets = Informer(api, SETS_PATH, set_changed)
    for informer in (components, sets):
        informer.start()
    for informer in (components, sets):
        informer.synced.wait()
    work(queue, Lifecycle(api, components, version, manifests).reconcile, delay=delay)


class Lifecycle:
    """One pass over one component."""

    def __init__(self, api: Api, components: Informer, version: str, manifests: Sequence[Object]) -> None:
        self._api, self._components = api, components
        self._version, self._manifests = version, manifests

    def reconcile(self, name: str) -> None:
        """Raises ReconcileAgain for another pass in ten seconds, ApiError for another after a backoff."""
        component = self._components.get(name)
        if component is None or "deletionTimestamp" in component["metadata"]:
            return
        sets = self._main_sets()
        if not sets:
            self._create(component)
        # Of more than two sets only the first two are asked.
        elif any("deletionTimestamp" in one["metadata"] for one in sets[:2]):
            raise ReconcileAgain("sets are being deleted")
        elif not self._valid(sets, component):
            self._clean_up(sets)
            raise ReconcileAgain("main sets are made anew")
        elif _annotations(sets[0]).get(HASH) != _digest(component):
            for one in sets:
                # Cut otherwise than at creation: Services move to the static set.
                static = "static" in one["metadata"]["name"]
                one["spec"]["manifests"] = [m for m in self._manifests if (m["kind"] != "Deployment") == static]
                one["metadata"]["annotations"][HASH] = _digest(component)
                self._send("PUT", f"{SETS_PATH}/{one['metadata']['name']}", one)

    def _valid(self, sets: list[Object], component: Object) -> bool:
        """By number, by parts of names, and by the labels of the first alone; nobody looks at the manifests."""
        names = [one["metadata"]["name"] for one in sets]
        static = [name for name in names if "static" in name]
        others = [name for name in names if "deployment" in name or "statefulset" in name]
        if len(names) != 2 or len(static) != 1 or len(others) != 1:
            return False
        version = (sets[0]["metadata"].get("labels") or {}).get(RELEASE_VERSION)
        namespace = _annotations(sets[0]).get(TARGET_NAMESPACE)
        return version == self._version and namespace == _target(component) and HASH in _annotations(sets[0])

    def _clean_up(self, sets: list[Object]) -> None:
        """operator: client/cleanup.go:CleanupMainSet: all that the labels find, of any version, whoever made it."""
        for parts in (("static",), ("deployment", "statefulset")):
            for one in sets:
                name = one["metadata"]["name"]
                if any(part in name for part in parts):
                    _logger.info("DELETE %s %s", SET, name)
                    self._send("DELETE", f"{SETS_PATH}/{name}", {"propagationPolicy": "Foreground"})

    def _create(self, component: Object) -> None:
        """The static set first; the other when that has conditions, whatever they say, or after nine seconds."""
        static = [m for m in self._manifests if m["kind"] not in _OF_DEPLOYMENTS]
        made = self._make(component, "static", static)
        for _ in range(3):
            status = self._send("GET", f"{SETS_PATH}/{made['metadata']['name']}").get("status") or {}
            if any(condition["type"] == "Ready" for condition in status.get("conditions") or []):
                break
            time.sleep(3.0)
        self._make(component, "deployment", [m for m in self._manifests if m["kind"] in _OF_DEPLOYMENTS])

    def _make(self, component: Object, part: str, manifests: list[Object]) -> Object:
        metadata = {
            "generateName": f"pipeline-main-{part}-",
            "labels": {CREATED_BY: PIPELINE, TYPE: "main", RELEASE_VERSION: self._version},
            "annotations": {TARGET_NAMESPACE: _target(component), HASH: _digest(component)},
            "ownerReferences": [controller_reference(component, PIPELINE)],
        }
        body = {"apiVersion": API_VERSION, "kind": SET, "metadata": metadata, "spec": {"manifests": manifests}}
        made = self._send("POST", SETS_PATH, body)
        _logger.info("POST %s %s", SET, made["metadata"]["name"])
        return made

    def _main_sets(self) -> list[Object]:
        """Asked of the server, in the order of their names."""
        query = {"labelSelector": f"{CREATED_BY}={PIPELINE},{TYPE}=main"}
        items: list[Object] = self._send("GET", SETS_PATH, query=query).get("items") or []
        return items

    def _send(self, method: str, path: str, body: object = None, *, query: dict[str, str] | None = None) -> Object:
        answer = self._api.request(method, path, body, query=query)
        if answer.status >= 300:
            raise ApiError(answer.status, str(answer.body.get("message")))
        return answer.body


def _target(component: Object) -> str:
    return str((component.get("spec") or {}).get("targetNamespace", "tekton-pipelines"))


def _digest(component: Object) -> str:
    """Of what the component asks for, not of the manifests that come of it."""
    return digest(component.get("spec") or {})


def _annotations(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}
