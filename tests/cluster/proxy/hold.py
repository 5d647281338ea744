"""A point at which everything stops, so that a test can look at the cluster, or kill the client right there."""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.cluster.proxy.request import Request


class Hold:
    """The `number`th request that `matches` stops, and whatever comes after it, but for the Lease's renewals.

    It is stopped before the server sees it, or, with `after`, when the server has answered and the client does not
    know yet. `idle` returns when no other write is under way; from then on nothing changes in the cluster.
    """

    def __init__(self, matches: Callable[[Request], bool], number: int, after: bool, idle: Callable[[], None]) -> None:
        self._matches = matches
        self._left = number
        self.after = after
        self._idle = idle
        self._reached = threading.Event()
        self._stopped = threading.Event()
        self._released = threading.Event()
        self._dropped = False
        self.request: Request | None = None

    @property
    def reached(self) -> bool:
        """Whether the request has come (and, with `after`, was answered by the server)."""
        return self._reached.is_set() and self._stopped.is_set()

    def wait_until_reached(self, timeout: float = 60.0) -> bool:
        """Returns when `reached`, and no write that came earlier is under way any more; False if that never comes."""
        if not self._reached.wait(timeout) or not self._stopped.wait(timeout):
            return False
        self.wait()
        return True

    def wait(self) -> None:
        """Call when `reached`: returns when no write that came earlier is under way any more."""
        self._idle()

    def release(self) -> None:
        """All go on."""
        self._released.set()

    def drop(self) -> None:
        """All that were stopped end without an answer, and never reach the server."""
        self._dropped = True
        self._released.set()

    def meets(self, request: Request) -> bool:
        """Whether this is the request. To be called once for each, one at a time."""
        if self._reached.is_set() or not self._matches(request):
            return False
        self._left -= 1
        if self._left > 0:
            return False
        self.request = request
        self._reached.set()
        return True

    def stops(self, request: Request) -> bool:
        """Whether another request has to wait too."""
        return self._reached.is_set() and not self._released.is_set() and request.plural != "leases"

    def park(self, *, first: bool = False) -> bool:
        """Waits until released. False if the request is to be dropped. `first`: for the request itself."""
        if first:
            self._stopped.set()
        self._released.wait()
        return not self._dropped
