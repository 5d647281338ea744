"""Deployments on a scripted server, and a waiter that waits for them: every state comes when the test says so."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.generations.generation import Generation
from hook.generations.installer_set import Fact
from hook.handoff.bulletin import Bulletin
from hook.handoff.deadline import Deadline
from hook.handoff.session import Session
from hook.handoff.waiting import Waiter
from hook.manifests.identity import Identity, Kind
from hook.manifests.manifest import Manifest
from hook.manifests.origin import Origin
from hook.readiness.rules import Rules
from hook.report.journal import Journal
from tests.unit.cluster.scripted import Reply, Request, Server, connect, serving, status

_VERBS = frozenset({"list", "watch"})
_TYPES = {
    "Deployment": ResourceType("apps", "v1", "Deployment", "deployments", True, _VERBS),
    "Pod": ResourceType("", "v1", "Pod", "pods", True, _VERBS),
    "Event": ResourceType("", "v1", "Event", "events", True, _VERBS),
}
Line = dict[str, Any]


class Discovery:
    """Serves these kinds and no others."""

    def find(self, kind: Kind, version: str | None = None) -> ResourceType | None:
        return _TYPES.get(kind.kind)


class WaitingRoom:
    """`put` changes a Deployment, as its controller or somebody else would. `unseen` changes what is read past the
    watches only."""

    def __init__(self, *names: str, timeout: float = 30.0, twice: bool = True, **spec: Any) -> None:
        self.names = names
        self.spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, **spec}
        self.live: dict[str, Line] = {}
        self.journal = Journal()
        self.written: list[str] = []
        self.result: BaseException | None = None
        self.ended_at = 0.0
        self.lists = 0
        self._version = 0
        self._streams: list[queue.SimpleQueue[Line | None]] = []
        self._lock = threading.Lock()
        self._timeout = timeout
        self._twice = twice
        for name in names:
            self.live[name] = self._object(name, ready=False)

    @contextmanager
    def waiting(self) -> Iterator[WaitingRoom]:
        """The waiter waits in a thread of its own while the block runs."""
        with serving(self._answer) as server:
            self.server = server
            thread = threading.Thread(target=self._wait, args=(server,), daemon=True)
            thread.start()
            self._thread = thread
            yield self
            self.end_streams()

    def put(self, name: str, *, ready: bool, generation: int = 1, seen: bool = True, **more: Any) -> None:
        obj = self._object(name, ready=ready, generation=generation, **more)
        with self._lock:
            self.live[name] = obj
            if seen:
                for stream in self._streams:
                    stream.put({"type": "MODIFIED", "object": obj})

    def delete(self, name: str) -> None:
        with self._lock:
            obj = self.live.pop(name)
            for stream in self._streams:
                stream.put({"type": "DELETED", "object": obj})

    def end_streams(self, *lines: Line) -> None:
        """As a server does every few minutes; `lines` come before the end."""
        with self._lock:
            for stream in self._streams:
                for line in lines:
                    stream.put(line)
                stream.put(None)
            self._streams = []

    def until_watched(self) -> None:
        """Returns when a watch stands."""
        until = time.monotonic() + 10
        while not self._streams:
            assert time.monotonic() < until, self.result
            time.sleep(0.002)

    def until_read(self) -> None:
        """Returns when a watch stands and all that was put has been sent."""
        self.until_watched()
        while any(not stream.empty() for stream in self._streams):
            time.sleep(0.0005)

    def end(self, timeout: float = 20.0) -> float:
        """Returns when the wait has ended: when that was, on the monotonic clock. Raises what it raised."""
        self._thread.join(timeout)
        assert not self._thread.is_alive(), "it still waits"
        if self.result is not None:
            raise self.result
        return self.ended_at

    @property
    def waits(self) -> bool:
        return self._thread.is_alive()

    def _wait(self, server: Server) -> None:
        connection = connect(server)
        deadline = Deadline(self._timeout, connection.stop, connection.check_stop)
        settings: Any = SimpleNamespace()
        nothing: Any = None
        discovery: Any = Discovery()
        session = Session(
            settings, "shop", "ns", Objects(connection), discovery, nothing, nothing, self.journal, deadline, nothing
        )
        manifests = []
        for name in self.names:
            identity = Identity("apps", "Deployment", "ns", name)
            meant = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "ns"}}
            manifests.append(Manifest({**meant, "spec": self.spec}, identity, "v1", Origin("test.yaml", 1)))
            session.facts[identity] = Fact(name, 1)
        generation = Generation("shop", "v1", "0" * 64, "ns", tuple(manifests))
        switches: Any = SimpleNamespace(follow=lambda watches: None, switch=lambda watches: None)
        bulletin = Bulletin(self.journal, self.written.append)
        try:
            Waiter(session, generation, switches, Rules(), bulletin, self._twice).wait()
        except BaseException as error:
            self.result = error
        self.ended_at = time.monotonic()
        connection.close()

    def _answer(self, request: Request) -> Reply:
        name = request.path.rpartition("/")[2]
        if request.query.get("watch"):
            return Reply(lines=self._stream())  # type: ignore[arg-type]
        with self._lock:
            if name == "deployments":
                self.lists += 1
            if name in ("deployments", "pods", "events"):
                items = list(self.live.values()) if name == "deployments" else []
                return Reply(body={"kind": "List", "metadata": {"resourceVersion": str(self._version)}, "items": items})
            if name in self.live:
                return Reply(body=self.live[name])
        return Reply(404, status(404, "NotFound", f'deployments "{name}" not found', name=name, kind="deployments"))

    def _stream(self) -> Iterator[Line]:
        own: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        with self._lock:
            self._streams.append(own)
        while (line := own.get()) is not None:
            yield line

    def _object(self, name: str, *, ready: bool, generation: int = 1, **more: Any) -> Line:
        self._version += 1
        count = 1 if ready else 0
        metadata = {
            "name": name,
            "namespace": "ns",
            "uid": name,
            "generation": generation,
            "resourceVersion": str(self._version),
        }
        counts = dict.fromkeys(("replicas", "updatedReplicas"), 1)
        counts |= dict.fromkeys(("readyReplicas", "availableReplicas"), count)
        conditions = [{"type": "Available", "status": "True" if ready else "False"}]
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": metadata,
            "spec": self.spec,
            "status": {"observedGeneration": generation, **counts, "conditions": conditions, **more},
        }
