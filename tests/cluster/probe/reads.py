"""The reading half of the probe: every resource in turn, round after round, as fast as one connection goes."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Sequence

from tests.cluster.probe.connection import Connection
from tests.cluster.probe.report import ResourceReport

# In metadata as the server writes it, the object's own uid comes before those of its owners, and a name in a
# value would have its quotes escaped.
_UID = re.compile(rb'"uid":"([^"]+)"')
_REST_AFTER_FAILURE = 0.05


class Reads:
    """Reads `resources` and counts into them, holding `lock` while it does."""

    def __init__(self, connection: Connection, resources: Sequence[ResourceReport], lock: threading.Lock) -> None:
        self._connection = connection
        self._resources = resources
        self._lock = lock
        self._last_read: dict[int, float] = {}
        self._gap_began: dict[int, float] = {}
        self._uids: dict[int, bytes] = {}

    def round(self, stop: threading.Event) -> None:
        """Reads each resource once, or fewer when told to stop."""
        for number, resource in enumerate(self._resources):
            if stop.is_set():
                return
            try:
                status, body = self._connection.get(resource.target.path)
            except (OSError, ValueError) as error:
                with self._lock:
                    resource.errors += 1
                    resource.last_error = str(error) or type(error).__name__
                stop.wait(_REST_AFTER_FAILURE)
                continue
            with self._lock:
                self._count(number, resource, status, body)

    def _count(self, number: int, resource: ResourceReport, status: int, body: bytes) -> None:
        now = time.monotonic()
        if status == 200:
            found = _UID.search(body)
            uid = found[1] if found else b""
            if self._uids.setdefault(number, uid) != uid:
                resource.uid_changes += 1
                self._uids[number] = uid
            if number in self._gap_began:
                gap = (now - self._gap_began.pop(number)) * 1000
                resource.longest_gap_ms = max(resource.longest_gap_ms, gap)
        elif status == 404:
            self._gap_began.setdefault(number, now)
            if _names_an_object(body):
                resource.misses += 1
            else:
                resource.unserved += 1
        else:
            resource.errors += 1
            resource.last_error = f"HTTP {status}"
            return
        resource.reads += 1
        if number in self._last_read:
            interval = (now - self._last_read[number]) * 1000
            resource.longest_interval_ms = max(resource.longest_interval_ms, interval)
        self._last_read[number] = now


def _names_an_object(body: bytes) -> bool:
    """Whether a 404 is about one object; that of a path that is not served is no Status, or names nothing."""
    try:
        details = json.loads(body).get("details") or {}
    except (ValueError, AttributeError):
        return False
    return bool(details.get("name"))
