"""A scripted API server that holds one Lease, with versions and conflicts as the real one has them, and Jobs."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from tests.unit.cluster.scripted import Reply, Request, status


@dataclass
class Store:
    """`lease` is what is stored; `jobs` are those that exist (name to metadata); `down` makes every request fail."""

    lease: dict[str, Any] | None = None
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    down: bool = False
    version: int = 100
    uids: int = 0
    lose: int = 0  # so many next writes are done, and their answers lost
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Request) -> Reply:
        with self.lock:
            if self.down:
                return Reply(503)
            if "/jobs/" in request.path:
                return self._job(request.path.rpartition("/")[2])
            if request.path.endswith("/events"):
                return self._events(request)
            answer = {"GET": self._get, "POST": self._post, "PUT": self._put, "DELETE": self._delete}
            reply = answer[request.method](request)
            if request.method != "GET" and self.lose:
                self.lose -= 1
                return Reply(reset=True)
            return reply

    def touch(self, **spec: Any) -> None:
        """As if somebody else wrote it."""
        with self.lock:
            assert self.lease is not None
            self.lease = {**self.lease, "spec": {**self.lease["spec"], **spec}}
            self._move(self.lease)

    def put(self, *, identity: str, seconds: int = 1, annotations: dict[str, str] | None = None) -> None:
        """As if somebody else had taken it."""
        with self.lock:
            self.lease = self._new({"metadata": {"name": "handoff-web", "annotations": annotations or {}}})
            self.lease["spec"] = {"holderIdentity": identity, "leaseDurationSeconds": seconds}

    def _job(self, name: str) -> Reply:
        metadata = self.jobs.get(name)
        if metadata is None:
            return Reply(404, status(404, "NotFound", name=name, kind="jobs"))
        return Reply(body={"kind": "PartialObjectMetadata", "metadata": {"name": name, **metadata}})

    def _events(self, request: Request) -> Reply:
        if request.method == "POST":
            self.events.append(request.body)
            return Reply(201, request.body)
        return Reply(body={"kind": "EventList", "metadata": {}, "items": self.events})

    def _new(self, body: dict[str, Any]) -> dict[str, Any]:
        self.uids += 1
        metadata = {
            **body["metadata"],
            "uid": f"lease-{self.uids}",
            "creationTimestamp": "2026-01-01T10:00:00Z",
            "managedFields": [{"time": "2026-01-01T10:00:07Z"}],
        }
        lease = {**body, "kind": "Lease", "metadata": metadata}
        self._move(lease)
        return lease

    def _move(self, lease: dict[str, Any]) -> None:
        self.version += 1
        lease["metadata"] = {**lease["metadata"], "resourceVersion": str(self.version)}

    def _get(self, _: Request) -> Reply:
        if self.lease is None:
            return Reply(404, status(404, "NotFound", name="handoff-web", kind="leases"))
        return Reply(body=self.lease)

    def _post(self, request: Request) -> Reply:
        if self.lease is not None:
            return Reply(409, status(409, "AlreadyExists", name="handoff-web"))
        self.lease = self._new(request.body)
        return Reply(201, self.lease)

    def _put(self, request: Request) -> Reply:
        sent = request.body["metadata"]
        if self.lease is None or sent["uid"] != self.lease["metadata"]["uid"]:
            return Reply(409, status(409, "Conflict", "Precondition failed: UID in precondition", name="handoff-web"))
        if sent["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            return Reply(409, status(409, "Conflict", "the object has been modified", name="handoff-web"))
        kept = {key: self.lease["metadata"][key] for key in ("creationTimestamp", "managedFields")}
        self.lease = {**request.body, "metadata": {**sent, **kept}}
        self._move(self.lease)
        return Reply(body=self.lease)

    def _delete(self, request: Request) -> Reply:
        if self.lease is None:
            return Reply(404, status(404, "NotFound", name="handoff-web", kind="leases"))
        wanted = request.body["preconditions"]
        if any(self.lease["metadata"][key] != value for key, value in wanted.items()):
            return Reply(409, status(409, "Conflict", "the ResourceVersion in the precondition", name="handoff-web"))
        self.lease = None
        return Reply(body={"kind": "Status", "status": "Success"})
