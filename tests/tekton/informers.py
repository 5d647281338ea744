"""Objects of one kind as a watch tells of them: a little late, and with all that this brings."""

from __future__ import annotations

import copy
import json
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import urllib3

from tests.cluster.api import Api

Object = dict[str, Any]
_logger = logging.getLogger(__name__)
_WATCH_SECONDS = 300
_PAUSE = 0.2  # after a failed request, for instance while the API server is away


class Informer(threading.Thread):
    """Keeps what stands in `collection`, and calls `changed` with an object that came, changed or went."""

    def __init__(self, api: Api, collection: str, changed: Callable[[Object], None]) -> None:
        super().__init__(name=f"informer {collection}", daemon=True)
        self._api, self._collection, self._changed = api, collection, changed
        self._known: dict[tuple[str, str], Object] = {}
        self._lock = threading.Lock()
        self.synced = threading.Event()

    def get(self, name: str, namespace: str = "") -> Object | None:
        """A copy of what it knows under that name."""
        with self._lock:
            return copy.deepcopy(self._known.get((namespace, name)))

    def run(self) -> None:
        """Lists and watches for ever."""
        version: str | None = None
        while True:
            try:
                if version is None:
                    version = self._list()
                    self.synced.set()
                version = self._watch(version)
            except (urllib3.exceptions.HTTPError, OSError, ValueError) as error:
                # ValueError: half a line, from a server that ended in the middle of it.
                _logger.info("%s: %s", self._collection, type(error).__name__)
                version = None
                time.sleep(_PAUSE)

    def _list(self) -> str:
        answer = self._api.request("GET", self._collection)
        if answer.status != 200:
            raise urllib3.exceptions.HTTPError(answer.body.get("message"))
        found = {_place(item): item for item in answer.body.get("items") or []}
        with self._lock:
            gone = [obj for place, obj in self._known.items() if place not in found]
            self._known = found
        for obj in (*gone, *found.values()):
            self._changed(obj)
        return str(answer.body["metadata"]["resourceVersion"])

    def _watch(self, version: str) -> str | None:
        query = {"watch": "true", "resourceVersion": version, "timeoutSeconds": str(_WATCH_SECONDS)}
        response = self._api.raw("GET", self._collection, query=query, stream=True, timeout=_WATCH_SECONDS + 30)
        try:
            for line in response:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return None
                version = self._take(event["type"], event["object"])
        finally:
            response.close()
        return version

    def _take(self, event: str, obj: Object) -> str:
        with self._lock:
            if event == "DELETED":
                self._known.pop(_place(obj), None)
            else:
                self._known[_place(obj)] = obj
        self._changed(obj)
        return str(obj["metadata"]["resourceVersion"])


def _place(obj: Object) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
