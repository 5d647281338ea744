"""TektonInstallerSets, made, read, edited and deleted as the operator or anybody else may do it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.cluster.api import Api
from tests.cluster.probe import targets_of
from tests.cluster.processes import wait_until
from tests.tekton.definitions import API_VERSION, SET, SETS_PATH

Object = dict[str, Any]


class Sets:
    """The sets of one cluster, by name."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def create(
        self,
        name: str,
        manifests: Iterable[Object],
        *,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        owners: Iterable[Object] = (),
    ) -> str:
        """Returns the uid."""
        metadata = {
            "name": name,
            "labels": dict(labels or {}),
            "annotations": dict(annotations or {}),
            "ownerReferences": list(owners),
        }
        body = {"apiVersion": API_VERSION, "kind": SET, "metadata": metadata, "spec": {"manifests": list(manifests)}}
        answer = self._api.request("POST", SETS_PATH, body)
        assert answer.status == 201, answer.body
        return str(answer.body["metadata"]["uid"])

    def get(self, name: str) -> Object | None:
        """The set as it stands, or None."""
        answer = self._api.request("GET", f"{SETS_PATH}/{name}")
        assert answer.status in (200, 404), answer.body
        return answer.body if answer.status == 200 else None

    def edit(self, name: str, manifests: Iterable[Object]) -> None:
        """Gives the set other manifests."""
        self._patch(name, {"spec": {"manifests": list(manifests)}})

    def touch(self, name: str) -> None:
        """Changes nothing but an annotation, for the event that comes of it."""
        self._patch(name, {"metadata": {"annotations": {"touched": str(time.time())}}})

    def delete(self, name: str, *, policy: str = "Background") -> None:
        """Asks for its deletion; the finalizer holds it up."""
        answer = self._api.request("DELETE", f"{SETS_PATH}/{name}", {"propagationPolicy": policy})
        assert answer.status in (200, 202), answer.body

    def condition(self, name: str, kind: str = "Ready") -> Object:
        """One of its conditions; empty where there is none."""
        conditions = ((self.get(name) or {}).get("status") or {}).get("conditions") or []
        return next((condition for condition in conditions if condition["type"] == kind), {})

    def ready(self, name: str) -> bool:
        """Whether it says that it is."""
        return bool(self.condition(name).get("status") == "True")

    def until_ready(self, name: str, *, timeout: float = 40.0) -> None:
        """Waits until it says that it is."""
        wait(lambda: self.ready(name), f"{name} is Ready", timeout=timeout, found=lambda: self.get(name))

    def until_gone(self, name: str, *, timeout: float = 40.0) -> None:
        """Waits until it is deleted, finalizer and all."""
        wait(lambda: self.get(name) is None, f"{name} is gone", timeout=timeout, found=lambda: self.get(name))

    def _patch(self, name: str, change: Object) -> None:
        content_type = "application/merge-patch+json"
        answer = self._api.request("PATCH", f"{SETS_PATH}/{name}", change, content_type=content_type)
        assert answer.status == 200, answer.body


def live(api: Api, manifest: Object) -> Object | None:
    """The live object of a manifest, or None."""
    (target,) = targets_of(api, [manifest])
    answer = api.request("GET", target.path)
    assert answer.status in (200, 404), answer.body
    return answer.body if answer.status == 200 else None


def repoint(api: Api, manifest: Object, set_name: str, set_uid: str) -> None:
    """Makes a set the only owner of a live object, and its controller."""
    reference = {"apiVersion": API_VERSION, "kind": SET, "name": set_name, "uid": set_uid}
    owners = [{**reference, "controller": True, "blockOwnerDeletion": True}]
    (target,) = targets_of(api, [manifest])
    change = {"metadata": {"ownerReferences": owners}}
    answer = api.request("PATCH", target.path, change, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def wait(
    condition: Callable[[], bool],
    what: str,
    *,
    timeout: float = 40.0,
    every: float = 0.05,
    found: Callable[[], object] | None = None,
) -> None:
    """Returns when `condition` is true. Raises AssertionError naming `what`, and what was `found` instead."""
    try:
        wait_until(condition, what, timeout=timeout, pause=every)
    except TimeoutError as error:
        raise AssertionError(f"{error}; there is {found()}" if found else str(error)) from None
