"""The time that a run has, and every pause that it makes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from hook.errors import HandoffError, PruneIncomplete, TimeLimit


class Deadline:
    """Counts on the monotonic clock; `end` is the time on it.

    `stop` ends every pause at once; `check_stop` raises Terminated, with the reason, once it is set.
    """

    def __init__(self, seconds: float, stop: threading.Event, check_stop: Callable[[], None]) -> None:
        self.end = time.monotonic() + seconds
        self._seconds = seconds
        self._stop = stop
        self._check_stop = check_stop
        self.retirement_began = False

    def remaining(self) -> float:
        """Seconds left, never below 0; raises Terminated after SIGTERM."""
        self._check_stop()
        return max(0.0, self.end - time.monotonic())

    def check(self, waiting_for: str, details: tuple[str, ...] = ()) -> None:
        """Raise the error that a passed time limit means at this point of the run."""
        if self.remaining() <= 0:
            raise self.passed(waiting_for, details)

    def passed(self, waiting_for: str, details: tuple[str, ...] = ()) -> HandoffError:
        if self.retirement_began:
            return PruneIncomplete(f"time limit of {self._seconds:g} s reached while {waiting_for}; run again", details)
        return TimeLimit(
            f"time limit of {self._seconds:g} s reached while {waiting_for}; the old generation was not retired",
            details,
        )

    def pause(self, seconds: float) -> None:
        """Wait; no longer than the deadline, and no longer than until SIGTERM (raises Terminated)."""
        self._stop.wait(min(seconds, self.remaining()))
        self.remaining()
