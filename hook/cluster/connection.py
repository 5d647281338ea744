"""One connection to one API server: sends a request once, and knows when none may be sent any more."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hook.cluster.answers import Answer, Cause
from hook.cluster.credentials import Credentials, find_credentials
from hook.cluster.retry import Retry
from hook.cluster.stream import Stream
from hook.cluster.transport import Transport
from hook.errors import HandoffError, Terminated

# Shorter than a Lease's duration less its renewal interval (30 s - 10 s): a request that was started under a valid
# Lease has ended before anybody else can hold it.
REQUEST_TIMEOUT = 15.0
# A run that is stopped has ended after 5 s: what is under way may take so many of them, and all last words end before
# so many, both from the moment on in which it was told to stop.
_GRACE = 1.5
_FAREWELL = 4.0


class Connection:
    """Thread-safe. Answers are values (`Answer`), whatever happened; only a forbidden start raises.

    `stop`: once set (see `end`), no request starts but those inside of `last_words()`; raises Terminated, or
    what `end` was given.
    `cut_off`: a write was under way when the grace was over; nobody knows whether the server acts on it yet.
    `fence`: called before every request but the Lease's own; it raises when the Lease is not surely held.
    `requests`, `retries`: counts by verb and by cause, for the report.
    """

    def __init__(self, credentials: Credentials, *, workers: int = 16, stop: threading.Event | None = None) -> None:
        self.stop = stop or threading.Event()
        self.fence: Callable[[], None] | None = None
        self.warn: Callable[[str], None] = lambda _text: None
        self.retry = Retry()
        self.workers = workers
        self.requests: Counter[str] = Counter()
        self.retries: Counter[str] = Counter()
        self.cut_off = False
        self._end: tuple[str, type[HandoffError]] = ("stopped by SIGTERM", Terminated)
        # Beside the workers: the Lease's thread, and some for whoever looks meanwhile. Watches hold their own.
        self._transport = Transport(credentials, workers + 4)
        self._local = threading.local()
        self._state = threading.RLock()  # a signal handler may come upon its own thread in there
        self._under_way = {True: 0, False: 0}  # writes, reads
        self._streams: set[Stream] = set()
        self._last_words_until: float | None = None

    @classmethod
    def open(
        cls,
        kubeconfig: str | None = None,
        context: str | None = None,
        *,
        workers: int = 16,
        stop: threading.Event | None = None,
    ) -> Connection:
        """Reads the credentials; sends nothing. Raises InvalidInput (none usable), RightsMissing (plugin failed)."""
        return cls(find_credentials(kubeconfig, context), workers=workers, stop=stop)

    @property
    def host(self) -> str:
        return self._transport.credentials.host

    @property
    def namespace(self) -> str:
        """The pod's namespace, or the context's, or `default`."""
        return self._transport.credentials.namespace

    @contextlib.contextmanager
    def last_words(self, seconds: float = 4.0) -> Iterator[None]:
        """For this thread: requests may start although `stop` is set, for so many seconds.

        After `stop`, all of them, however many there are, end with one time: see `end`.
        """
        until = time.monotonic() + seconds
        if self.stop.is_set():
            if self._last_words_until is None:
                self._last_words_until = time.monotonic() + _FAREWELL
            until = min(until, self._last_words_until)
        outer: float | None = getattr(self._local, "until", None)
        self._local.until = until if outer is None else min(until, outer)
        try:
            yield
        finally:
            self._local.until = outer

    def time_left(self) -> float | None:
        """Seconds that this thread's last words may still take; None outside of them."""
        until: float | None = getattr(self._local, "until", None)
        return None if until is None else max(0.0, until - time.monotonic())

    def check_stop(self) -> None:
        """Raises Terminated (or what `end` was given) if `stop` is set and these are no last words."""
        left = self.time_left()
        why, error = self._end
        if left is None and self.stop.is_set():
            raise error(f"{why}; the state is saved, run again to go on")
        if left == 0.0:
            raise error(f"{why}; there was no time left to write the state")

    def pause(self, seconds: float) -> None:
        """Waits; raises Terminated as soon as `stop` is set (in last words: waits as long as they may take)."""
        left = self.time_left()
        if left is None:
            self.stop.wait(seconds)
        else:
            time.sleep(min(seconds, left))
        self.check_stop()

    def count_retry(self, cause: Cause) -> None:
        """Notes one repetition of a request, for the report."""
        with self._state:
            self.retries[cause.value] += 1

    def count_request(self, verb: str) -> None:
        """Notes one request, for the report."""
        with self._state:
            self.requests[verb] += 1

    def end(
        self, why: str = "stopped by SIGTERM", error: type[HandoffError] = Terminated, *, grace: float = _GRACE
    ) -> None:
        """Sets `stop`, after which `error` is raised; may be called in a signal handler, and again.

        What is under way is cut off after `grace` seconds, so that a server that does not answer holds nobody up. The
        last words have a little longer.
        """
        if self.stop.is_set():
            return
        self._end = why, error
        self._last_words_until = time.monotonic() + _FAREWELL
        self.stop.set()
        cutting = threading.Timer(grace, self._cut)
        cutting.daemon = True
        cutting.start()

    def _cut(self) -> None:
        with self._state:
            stuck = dict(self._under_way)
        if any(stuck.values()):
            self.cut_off = stuck[True] > 0
            self._transport.cut()

    def close(self) -> None:
        """Ends all watches and drops the pooled connections."""
        with self._state:
            streams = list(self._streams)
        for stream in streams:
            stream.close()
        self._transport.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = REQUEST_TIMEOUT,
        urgent: bool = False,
    ) -> Answer:
        """Sends once (twice after a 401, with credentials read anew) and returns what came of it.

        `body` is JSON; its media type is in `headers` or application/json. `urgent` is for the Lease: neither fence
        nor throttle hold it back. Raises Terminated, and what the fence raises.
        """
        answer = self._once(method, path, query, body, headers, timeout, urgent)
        if answer.status == 401:
            self._transport.renew_credentials()
            answer = self._once(method, path, query, body, headers, timeout, urgent)
        return answer

    def open_stream(
        self, path: str, *, query: Mapping[str, str], headers: Mapping[str, str], silence: float
    ) -> tuple[Answer, Stream | None]:
        """Opens a watch: an Answer without a body and the Stream, or the refusal and None.

        `silence`: seconds without a byte after which the stream counts as dead.
        """
        self._admit(urgent=False)
        answer, response = self._transport.start("GET", path, query, None, headers, REQUEST_TIMEOUT, silence=silence)
        if response is None:
            return answer, None
        if not answer.ok:
            return self._transport.finish(answer, response, REQUEST_TIMEOUT), None
        stream = Stream(response, self._forget)
        with self._state:
            self._streams.add(stream)
        return answer, stream

    def _forget(self, stream: Stream) -> None:
        with self._state:
            self._streams.discard(stream)

    def _admit(self, urgent: bool) -> None:
        self.check_stop()
        if urgent:
            return
        self.retry.throttle.wait(self.stop, self.time_left())
        self.check_stop()
        if self.fence is not None:
            self.fence()

    def _once(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Any,
        headers: Mapping[str, str] | None,
        timeout: float,
        urgent: bool,
    ) -> Answer:
        writes = method != "GET"
        counted = not urgent and self.time_left() is None  # the others know for themselves when to end
        with self._state:
            self._under_way[writes] += counted
        try:
            # Whatever held it back is over when a request starts: the fence comes last.
            self._admit(urgent)
            left = self.time_left()
            limit = timeout if left is None else min(timeout, left)
            answer, response = self._transport.start(method, path, query, body, headers, limit)
            return answer if response is None else self._transport.finish(answer, response, limit)
        finally:
            with self._state:
                self._under_way[writes] -= counted
