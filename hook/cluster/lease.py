"""One handoff of a component at a time: a Lease that is taken, renewed, given back, and never trusted past its time.

Time is this process's monotonic clock only; clocks of different machines are never compared. A holder that was frozen
finds its time over before it sends anything. What cannot be fenced is a request that was already on its way: it is
bounded by its time limit, and by uid and resourceVersion wherever it deletes or replaces.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from types import TracebackType

from hook.cluster.answers import ApiError, Cause
from hook.cluster.connection import REQUEST_TIMEOUT
from hook.cluster.high_water import Mark, Superseded, higher, supersedes
from hook.cluster.jobs import JobRef, exists
from hook.cluster.lease_record import duration, held_body, holder, released_body, written_at
from hook.cluster.objects import Objects
from hook.cluster.removals import announce, last_removal
from hook.cluster.resource_type import LEASE
from hook.cluster.term import Term, boot_clock
from hook.errors import HandoffError, LockedError, RightsMissing
from hook.manifests.identity import Object

DURATION = 30
RENEWAL = 10.0
_RENEWAL_TIMEOUT = 5.0
_POLL = 1.0
_MANAGER = "handoff-lease"
# Somebody wrote in between: read it and decide again.
_RACED = frozenset({Cause.STALE, Cause.UID_MISMATCH, Cause.ALREADY_EXISTS, Cause.NOT_FOUND})


class Lease:
    """`with Lease(...).acquire(timeout):` holds it; `check` is the connection's fence while it does.

    `identity` must be new for each process. `mark` is this run's place among the runs: also to be written on sets.
    """

    def __init__(
        self,
        objects: Objects,
        namespace: str,
        component: str,
        identity: str,
        *,
        job: JobRef | None = None,
        generation: str = "",
        clock: Callable[[], float] = boot_clock,
        seconds: int = DURATION,
        renewal: float = RENEWAL,
    ) -> None:
        self.mark = job.mark(generation) if job else Mark("", generation=generation)
        self.name = f"handoff-{component}"
        self._objects = objects
        self._connection = objects.connection
        self._namespace = namespace
        self._component = component
        self._holder = identity
        self._job = job
        self._clock = clock
        self._duration = seconds
        self._renewal = renewal
        self._highest: Mark | None = None
        self._live: Object = {}
        self._term = Term(f"{namespace}/{self.name}", seconds, clock)
        self._writing = threading.Lock()
        self._closed = threading.Event()

    # Taking it

    def acquire(self, timeout: float, on_wait: Callable[[str], None] = lambda _holder: None) -> Lease:
        """Takes the Lease, waiting up to `timeout` seconds; `on_wait` is told who holds it, again when that changes.

        Raises LockedError (not had in time), Superseded (a newer run had it), Terminated (SIGTERM, or the own Job is
        gone), RightsMissing, ApiError (NAMESPACE_MISSING: the caller creates it and tries again).
        """
        until = self._clock() + timeout
        told: str | None = None
        seen = ""
        seen_at = 0.0
        job_seen_at = float("-inf")
        while True:
            asked_at = self._clock()
            if asked_at - job_seen_at >= self._renewal:
                self._check_job()
                job_seen_at = asked_at
            live = self._read()
            if live is not None:
                self.observe(Mark.of(live["metadata"]))
                if seen != live["metadata"]["resourceVersion"]:
                    seen, seen_at = live["metadata"]["resourceVersion"], self._clock()
            else:
                self._observe_removals()
            who = holder(live) if live is not None else ""
            if (not who or live is None or asked_at - seen_at >= duration(live, DURATION)) and self._take(live):
                break
            if who and who != told:
                told = who
                on_wait(who)
            if self._clock() >= until:
                raise LockedError(
                    f"Lease {self._namespace}/{self.name} is held by {who or 'others in turn'}"
                    f" and was not had within {timeout:.0f} s"
                )
            self._connection.pause(max(0.0, min(_POLL, until - self._clock())))
        self._connection.fence = self.check
        threading.Thread(target=self._renew_until_closed, name="lease", daemon=True).start()
        return self

    def observe(self, mark: Mark | None) -> None:
        """Takes note of a mark that stands somewhere (the Lease, a set). Raises Superseded if it is newer than ours."""
        if mark is None:
            return
        self._highest = higher(self._highest, mark)
        # Without a Job our time is that of the Lease write, which comes after everything that stands already.
        if self._job and supersedes(mark, self.mark, self._exists):
            raise Superseded(self._component, self.mark, mark)

    def _observe_removals(self) -> None:
        """Where no Lease is: what was read of it before it went, and what is remembered of a removal."""
        if self._job is not None:
            self.observe(higher(self._highest, last_removal(self._objects, self._namespace, self.name)))

    def _exists(self, mark: Mark) -> bool | None:
        return exists(self._objects, mark.namespace, mark.name, mark.uid, urgent=True)

    def _read(self, timeout: float | None = None) -> Object | None:
        try:
            live = self._objects.get(LEASE, self._namespace, self.name, urgent=True, timeout=timeout)
        except ApiError as error:
            if error.cause is Cause.NOT_FOUND:
                return None
            raise
        live.setdefault("spec", {})
        return live

    def _take(self, live: Object | None) -> bool:
        """One try; False if somebody else was faster."""
        sent_at = self._clock()
        try:
            if live is None:
                taken = self._objects.create(LEASE, self._body(None), _MANAGER, urgent=True)
            else:
                taken = self._objects.update(LEASE, self._body(live), manager=_MANAGER, urgent=True)
        except ApiError as error:
            if error.cause in _RACED:
                return False
            raise
        if holder(taken) != self._holder:
            return False
        self._hold(taken, sent_at)
        if not self.mark.created:
            self.mark = Mark(written_at(taken), generation=self.mark.generation)
            try:
                while not self._renew():  # ends: at the latest, the Lease is lost
                    self._connection.check_stop()
                    self.check()
                    self._connection.pause(_POLL)
            except HandoffError:
                self._leave()
                raise
        return True

    def _body(self, live: Object | None) -> Object:
        place = (self._namespace, self.name, self._component)
        return held_body(live, place, self._holder, self._duration, self.mark)

    # Holding it

    def check(self) -> None:
        """The fence: returns if a request that starts now ends while the Lease is still ours.

        While a renewal is late it waits for that, as long as there is time. Raises LockedError once the Lease is lost.
        """
        left = self._connection.time_left()
        self._term.check(REQUEST_TIMEOUT if left is None else left, self._connection.check_stop)

    def _hold(self, live: Object, sent_at: float) -> None:
        self._live = live
        self._term.begin(sent_at)

    def _renew_until_closed(self) -> None:
        due = self._clock() + self._renewal
        while not self._closed.wait(max(0.0, due - self._clock())):
            try:
                started = self._clock()
                due = started + (self._renewal if self._renew() else _POLL)
                if self._term.lost:
                    return
                self._check_job()
            except HandoffError:  # the run is to end
                return

    def _renew(self) -> bool:
        """One try. False: not now, try again soon. A process that slept past its time does not even try."""
        with self._writing:
            sent_at = self._clock()
            if self._closed.is_set() or self._term.lost:
                return False
            if self._term.over:
                self._term.lose(f"was not renewed for {self._duration} s")
                return False
            try:
                renewed = self._objects.update(
                    LEASE, self._body(self._live), manager=_MANAGER, urgent=True, timeout=_RENEWAL_TIMEOUT
                )
            except ApiError as error:
                self._end_if_forbidden(error)
                return self._examine() if error.cause in _RACED else False
            self._hold(renewed, sent_at)
            return True

    def _examine(self) -> bool:
        """After a conflict: an earlier renewal of ours whose answer was lost, or the end."""
        try:
            live = self._read(_RENEWAL_TIMEOUT)
        except ApiError as error:
            self._end_if_forbidden(error)
            return False
        if live is None:
            self._term.lose("was deleted")
        elif live["metadata"]["uid"] != self._live["metadata"]["uid"] or holder(live) != self._holder:
            self._term.lose(f"was taken by {holder(live) or 'nobody yet, but away from us'}")
        else:
            self._live = live  # the next renewal, at once, proves that it is ours
        return False

    def _end_if_forbidden(self, error: ApiError) -> None:
        """Who may not renew it loses it for certain: better now, with the reason, than later as if the server failed.

        What is left of its time is for the last words.
        """
        if error.cause is Cause.FORBIDDEN:
            shown = f"Lease {self._namespace}/{self.name}"
            self._connection.end(f"{shown} cannot be renewed: {error.message}", RightsMissing)

    def _check_job(self) -> None:
        job = self._job
        if job is None or exists(self._objects, job.namespace, job.name, job.uid, urgent=True) is not False:
            return
        self._connection.end(f"the Job {job.namespace}/{job.name} of this run is gone, replaced or being deleted")
        self._connection.check_stop()

    # Giving it back

    def release(self) -> bool:
        """Gives the Lease back, with its mark; False where that failed (it then expires by itself)."""
        return self._finish(
            lambda live: self._objects.update(LEASE, released_body(live), manager=_MANAGER, urgent=True)
        )

    def delete(self) -> bool:
        """Removes the Lease, after the component was removed; False where that failed.

        Its mark is remembered for a while, so that no older run installs again what is gone now.
        """
        with contextlib.suppress(ApiError):  # who may not write Events can remove all the same
            announce(self._objects, self._live, self._component, self.mark)

        def drop(live: Object) -> object:
            metadata = live["metadata"]
            return self._objects.delete(
                LEASE,
                self._namespace,
                self.name,
                uid=metadata["uid"],
                resource_version=metadata["resourceVersion"],
                propagation="Background",
                urgent=True,
            )

        return self._finish(drop)

    def _finish(self, write: Callable[[Object], object]) -> bool:
        if self._closed.is_set():
            return False
        with self._writing:  # a renewal under way moves the version that is written upon
            self._closed.set()
            if self._term.lost or self._term.over:
                self._term.lose("was not renewed in time")
                return False
            try:
                if not self._write_last(write):
                    return False
            except ApiError:
                return False
        self._term.lose("was given back")
        return True

    def _write_last(self, write: Callable[[Object], object]) -> bool:
        """Upon the Lease as we know it, or as it is read where that is not the newest; False if it is not ours."""
        try:
            write(self._live)
        except ApiError as error:
            if error.cause not in _RACED:
                raise
            live = self._read()
            if live is None or holder(live) != self._holder:
                return False
            write(live)
        return True

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        # While nobody knows what becomes of a write, nobody else may begin: the Lease is left to expire.
        if not self._connection.cut_off:
            with self._connection.last_words():
                self.release()
