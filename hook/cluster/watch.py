"""What happens to the objects of one kind, as it happens: LIST, then WATCH from there, for as long as it takes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from hook.cluster.answers import Answer, ApiError, Cause, api_error, transient
from hook.cluster.bodies import typed
from hook.cluster.classification import classify, classify_status
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.cluster.status_texts import status_text
from hook.cluster.stream import Stream
from hook.manifests.identity import Object

# The server ends a watch after this time, having sent a bookmark just before; so a connection that is silent for
# longer is dead, whether or not the API behind it knows bookmarks.
SERVER_TIMEOUT = 55
SILENCE = 70.0
POLL = 2.0
_LONGEST_PAUSE = 5.0
_METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class EventType(StrEnum):
    """SYNC: the whole state anew (what is not in it is gone); the others as in the API."""

    SYNC = "SYNC"
    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"


@dataclass(frozen=True, slots=True)
class Event:
    """`items` for SYNC, else `object` (for DELETED its last state)."""

    type: EventType
    object: Object | None = None
    items: tuple[Object, ...] = ()


class Watch:
    """Iterate over it in a thread of its own; the first event is a SYNC. `close()` it from any other thread.

    Survives whatever passes by itself, for as long as it is open: closed and silent connections (goes on from the last
    version seen), 410 and errors inside of the stream (LIST again, another SYNC), an API server that is away
    (`trouble` says so meanwhile). Raises ApiError for what does not (rights, kind not served), Terminated on SIGTERM,
    and what the fence raises. A kind that cannot be watched is listed every 2 s.
    """

    def __init__(
        self,
        objects: Objects,
        rt: ResourceType,
        namespace: str | None = None,
        *,
        metadata_only: bool = False,
        label_selector: str | None = None,
        field_selector: str | None = None,
        silence: float = SILENCE,
    ) -> None:
        self.trouble: str | None = None
        self._objects = objects
        self._connection = objects.connection
        self._rt = rt
        self._namespace = namespace
        self._metadata_only = metadata_only
        self._labels = label_selector
        self._fields = field_selector
        self._silence = silence
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._stream: Stream | None = None
        self._version = ""
        self._failures = 0
        self._pollable = bool(rt.verbs) and "watch" not in rt.verbs

    def close(self) -> None:
        """Ends the iteration, at once."""
        self._closed.set()
        with self._lock:
            if self._stream is not None:
                self._stream.close()

    def __iter__(self) -> Iterator[Event]:
        while not self._closed.is_set():
            try:
                if not self._version:
                    yield self._sync()
                if self._pollable:
                    self._version = ""
                    self._pause(POLL)
                else:
                    yield from self._follow()
            except ApiError as error:
                if error.cause is Cause.UNSUPPORTED and error.verb == "watch":
                    self._pollable = True
                elif not transient(error.cause):
                    raise
                else:
                    self._stumble(error.message)

    def _sync(self) -> Event:
        listing = self._objects.list(
            self._rt, self._namespace, self._metadata_only, label_selector=self._labels, field_selector=self._fields
        )
        self._version = listing.resource_version
        self._recover()
        return Event(EventType.SYNC, items=tuple(listing.items))

    def _follow(self) -> Iterator[Event]:
        """One connection's worth of events; raises ApiError where it was refused or ended by an ERROR."""
        started = time.monotonic()
        events = 0
        for line in self._open().lines():
            event = _parse(line)
            if event is None:
                break  # no JSON: whatever sits in between is no API server; go on from the last version
            kind, obj = event
            if kind == "ERROR":
                self._version = ""
                raise self._refusal(obj)
            events += 1
            self._recover()
            self._version = (obj.get("metadata") or {}).get("resourceVersion") or self._version
            if kind != "BOOKMARK":
                yield Event(EventType(kind), typed(self._rt, obj, self._metadata_only))
            if self._closed.is_set():
                return
        # One that ends as soon as it began, again and again, is to be paced; one that lasted is simply renewed.
        if not events and time.monotonic() - started < 1.0:
            self._stumble("the watch ends as soon as it begins")

    def _open(self) -> Stream:
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": self._version,
            "timeoutSeconds": str(SERVER_TIMEOUT),
        }
        if self._labels:
            query["labelSelector"] = self._labels
        if self._fields:
            query["fieldSelector"] = self._fields
        self._connection.count_request("watch")
        answer, stream = self._connection.open_stream(
            self._rt.path(self._namespace),
            query=query,
            headers={"Accept": _METADATA} if self._metadata_only else {},
            silence=self._silence,
        )
        if stream is None:
            raise self._refused(answer)
        with self._lock:
            self._stream = stream
        if self._closed.is_set():
            stream.close()
        return stream

    def _refused(self, answer: Answer) -> ApiError:
        target = self._rt.identity(self._namespace, None)
        cause = classify(answer, target, self._rt.plural) or Cause.UNAVAILABLE
        if cause is Cause.EXPIRED or answer.status == 504:
            self._version = ""
        if cause in (Cause.THROTTLED, Cause.INITIALIZING):
            self._connection.retry.throttle.hold(answer.retry_after or 1.0)
        text = status_text(answer.json() or {}, secret=self._rt.is_secret) or answer.failure or f"HTTP {answer.status}"
        return api_error(cause, "watch", target, text, status=answer.status)

    def _refusal(self, status: Object) -> ApiError:
        target = self._rt.identity(self._namespace, None)
        code = status.get("code") if isinstance(status.get("code"), int) else 500
        cause = classify_status(code or 500, status, target, self._rt.plural)
        # An ERROR ends a stream that was allowed to begin: a new LIST decides whether it lasts.
        return api_error(
            cause if transient(cause) else Cause.UNAVAILABLE,
            "watch",
            target,
            status_text(status, secret=self._rt.is_secret) or "the server ended the watch with an error",
        )

    def _recover(self) -> None:
        self._failures = 0
        self.trouble = None

    def _stumble(self, trouble: str) -> None:
        if self._failures:
            self.trouble = trouble
        self._pause(min(_LONGEST_PAUSE, 0.1 * 2 ** min(self._failures, 8)))
        self._failures += 1

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._closed.wait(min(left, 0.2)):
            self._connection.check_stop()


def _parse(line: bytes) -> tuple[str, Object] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("object"), dict):
        return None
    kind = value.get("type")
    return (kind, value["object"]) if kind in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR") else None
