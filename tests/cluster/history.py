"""What happened to objects, in the order in which the server did it, asked for afterwards.

The revisions of all kinds of one etcd are one sequence, so that a deletion here and a change there can be told
apart in time without any clock.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.cluster.api import Api
from tests.cluster.probe import Target


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """One change: `type` is ADDED, MODIFIED or DELETED, `revision` its place in the sequence."""

    revision: int
    type: str
    target: Target
    object: dict[str, Any]

    @property
    def uid(self) -> str:
        """The uid of the object that it happened to."""
        uid: str = self.object["metadata"]["uid"]
        return uid


class History:
    """From when it is made on, of all objects whose kind is among `targets`."""

    def __init__(self, api: Api, targets: Iterable[Target]) -> None:
        self._api = api
        self._kinds = {target.collection: target for target in targets}
        with ThreadPoolExecutor(8) as pool:
            self._since = dict(zip(self._kinds, pool.map(self._revision, self._kinds), strict=True))

    def events(self) -> list[Event]:
        """All that happened so far, in order. Asks for it anew each time, in about a second."""
        with ThreadPoolExecutor(len(self._kinds)) as pool:
            return sorted(
                (event for events in pool.map(self._events, self._kinds) for event in events),
                key=lambda event: event.revision,
            )

    def deletions(self) -> list[Event]:
        """Those of them that took an object away."""
        return [event for event in self.events() if event.type == "DELETED"]

    def _revision(self, collection: str) -> str:
        answer = self._api.request("GET", collection, query={"limit": "1"})
        assert answer.status == 200, f"{collection}: {answer.body.get('message')}"
        revision: str = answer.body["metadata"]["resourceVersion"]
        return revision

    def _events(self, collection: str) -> list[Event]:
        query = {"watch": "true", "resourceVersion": self._since[collection], "timeoutSeconds": "1"}
        response = self._api.raw("GET", collection, query=query, timeout=30)
        kind = self._kinds[collection]
        events = []
        for line in response.data.splitlines():
            told = json.loads(line)
            assert told["type"] != "ERROR", f"{collection}: {told['object'].get('message')}"
            metadata = told["object"]["metadata"]
            place, name = metadata.get("namespace", ""), metadata["name"]
            target = Target(kind.group, kind.version, kind.kind, kind.plural, place, name)
            events.append(Event(int(metadata["resourceVersion"]), told["type"], target, told["object"]))
        return events
