"""The watching half of the probe: one watch a kind, so that no deletion is missed however short the gap."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import urllib3

from tests.cluster.api import Api
from tests.cluster.probe.connection import ACCEPT
from tests.cluster.probe.report import ResourceReport

_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_REST_AFTER_FAILURE = 0.2


class Watch:
    """Watches one kind in all namespaces and counts what happens to `resources` of that kind."""

    def __init__(self, api: Api, resources: Sequence[ResourceReport], lock: threading.Lock) -> None:
        self._api = api
        self.collection = resources[0].target.collection
        self._resources = {(r.target.namespace, r.target.name): r for r in resources}
        self._lock = lock
        self._uids: dict[tuple[str, str], str] = {}
        self._terminating: set[str] = set()
        self.established = threading.Event()
        self.restarts = 0

    def run(self, stop: threading.Event) -> None:
        """Watches until told to stop; a watch that is cut is taken up again where it was, or after a new LIST."""
        version: str | None = None
        while not stop.is_set():
            try:
                if version is None:
                    version = self._list()
                for event in self._events(version):
                    if event["type"] == "ERROR":
                        version = None
                        break
                    version = event["object"]["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self._see(event["object"]["metadata"], deleted=event["type"] == "DELETED")
            except (urllib3.exceptions.HTTPError, OSError, ValueError, KeyError):
                version = None
                stop.wait(_REST_AFTER_FAILURE)
            self.restarts += 1

    def _list(self) -> str:
        answer = self._api.request("GET", self.collection, accept=_LIST)
        if answer.status != 200:
            raise ValueError(f"HTTP {answer.status}")
        items = answer.body.get("items") or []
        with self._lock:
            there = set()
            for item in items:
                metadata = item["metadata"]
                there.add((metadata.get("namespace", ""), metadata["name"]))
                self._count(metadata)
            for key in self._uids.keys() - there:
                # It went while the watch was cut.
                self._resources[key].deleted += 1
                del self._uids[key]
        version: str = answer.body["metadata"]["resourceVersion"]
        return version

    def _events(self, version: str) -> Iterator[dict[str, Any]]:
        query = {"watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true"}
        response = self._api.raw("GET", self.collection, query=query, accept=ACCEPT, timeout=300, stream=True)
        if response.status != 200:
            raise ValueError(f"HTTP {response.status}")
        self.established.set()
        try:
            pending = b""
            for chunk in response.stream():
                *lines, pending = (pending + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line.strip())
        finally:
            response.close()

    def _see(self, metadata: dict[str, Any], *, deleted: bool) -> None:
        key = (metadata.get("namespace", ""), metadata["name"])
        with self._lock:
            if not deleted:
                self._count(metadata)
            elif key in self._resources:
                self._resources[key].deleted += 1
                self._uids.pop(key, None)

    def _count(self, metadata: dict[str, Any]) -> None:
        key, uid = (metadata.get("namespace", ""), metadata["name"]), metadata["uid"]
        resource = self._resources.get(key)
        if resource is None:
            return
        if self._uids.setdefault(key, uid) != uid:
            resource.uid_changes += 1
            self._uids[key] = uid
        if "deletionTimestamp" in metadata and uid not in self._terminating:
            self._terminating.add(uid)
            resource.terminating += 1
