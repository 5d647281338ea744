"""How long a Lease may be relied upon: by this process's clock, from the moment its last renewal was sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from hook.errors import LockedError


def boot_clock() -> float:
    """Seconds that also pass while the machine sleeps, where the system tells."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Term:
    """Thread-safe. `name` is the Lease's for messages; `seconds` its duration."""

    def __init__(self, name: str, seconds: float, clock: Callable[[], float]) -> None:
        self._name = name
        self._seconds = seconds
        self._clock = clock
        self._state = threading.Condition()
        self._ends_at = float("-inf")
        self._lost: str | None = None

    @property
    def lost(self) -> bool:
        return self._lost is not None

    @property
    def over(self) -> bool:
        """Whether the time is over, unless a renewal that is under way succeeds."""
        return self._clock() >= self._ends_at

    def begin(self, sent_at: float) -> None:
        """The Lease was written, by a request that was sent at that time."""
        with self._state:
            self._ends_at = sent_at + self._seconds
            self._state.notify_all()

    def lose(self, why: str) -> None:
        """The Lease is not ours any more; the first reason stays."""
        with self._state:
            self._lost = self._lost or why
            self._state.notify_all()

    def check(self, margin: float, pause: Callable[[], None]) -> None:
        """Returns if what starts now and takes no longer than `margin` seconds ends while the Lease is still ours.

        While a renewal is late it waits for that, as long as there is time (`pause` may raise meanwhile). Raises
        LockedError once the Lease is lost, or its time is over: also after a freeze, in which nobody could renew it.
        """
        with self._state:
            while True:
                now = self._clock()
                if now >= self._ends_at:
                    self.lose(f"was not renewed for {self._seconds:.0f} s")
                if self._lost is not None:
                    raise LockedError(f"Lease {self._name} {self._lost}; this run stops, run again to go on")
                if now < self._ends_at - min(margin, self._seconds / 2):
                    return
                pause()
                self._state.wait(min(0.2, self._ends_at - now))
