"""When a request is sent again: one policy for all of them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hook.cluster.answers import Answer, Cause, repeated

# Long enough for an API server that restarts or an etcd that elects a leader, short enough to be seen.
BUDGET = 60.0
# An unknown error 500 may as well be the server's way to say no; it is believed sooner.
ERROR_BUDGET = 15.0
_FIRST = 0.1
_LONGEST = 5.0


class Throttle:
    """After a 429 no worker starts a request before the time that the server named, or a minute has passed."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until = float("-inf")

    def hold(self, seconds: float) -> None:
        """Holds all workers back for so many seconds from now, if they are not held back longer."""
        with self._lock:
            self._until = max(self._until, self._clock() + min(seconds, BUDGET))

    def remaining(self) -> float:
        """Seconds still to wait, 0 if none."""
        with self._lock:
            return max(0.0, self._until - self._clock())

    def wait(self, stop: threading.Event, at_most: float | None = None) -> None:
        """Waits until requests may start again; ends at once when `stop` is set (unless `at_most` is given)."""
        while (seconds := self.remaining()) > 0:
            if at_most is not None:
                time.sleep(min(seconds, at_most))
                return
            # Spread out, so that the workers do not all start in the same instant.
            if stop.wait(seconds * random.uniform(1.0, 1.2)):  # noqa: S311
                return


@dataclass
class Retry:
    """Sends again what failed for a cause that passes by itself, and nothing else.

    Waits 0.1 s, doubled up to 5 s, each spread by half to all of it, for up to `budget` seconds in all. `deadline`
    (by the same clock) ends the trying earlier: the time limit of the run.
    """

    budget: float = BUDGET
    deadline: float | None = None
    clock: Callable[[], float] = time.monotonic
    spread: Callable[[], float] = field(default=lambda: random.uniform(0.5, 1.0))  # noqa: S311
    throttle: Throttle = field(default_factory=Throttle)

    def run(
        self,
        attempt: Callable[[], Answer],
        judge: Callable[[Answer], Cause | None],
        *,
        pause: Callable[[float], None],
        count: Callable[[Cause], None],
        at_most: float | None = None,
    ) -> Outcome:
        """Tries until the answer is good, or bad for a lasting cause, or the time is over.

        `judge` names the cause of an answer, None for a good one; `pause` waits so many seconds and raises if the
        run is to end; `count` is told of each repetition. `at_most`: another limit on the budget, in seconds.
        """
        started = self.clock()
        limit = started + (self.budget if at_most is None else min(self.budget, at_most))
        if self.deadline is not None:
            limit = min(limit, self.deadline)
        retries = 0
        lost = False
        while True:
            answer = attempt()
            cause = judge(answer)
            if cause is None or not repeated(cause):
                return Outcome(answer, cause, retries, lost)
            seconds = min(_LONGEST, _FIRST * 2 ** min(retries, 10)) * self.spread()
            if answer.retry_after is not None:
                seconds = max(seconds, answer.retry_after)
            elif cause in (Cause.THROTTLED, Cause.INITIALIZING):
                seconds = max(seconds, 1.0)
            if cause is Cause.THROTTLED:
                self.throttle.hold(seconds)
            lost = lost or _may_have_acted(answer)
            if self.clock() + seconds > (
                limit if cause is not Cause.SERVER_ERROR else min(limit, started + ERROR_BUDGET)
            ):
                return Outcome(answer, cause, retries, lost)
            count(cause)
            pause(seconds)
            retries += 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last answer and its cause; `lost`: an earlier try may have acted although it was not answered well."""

    answer: Answer
    cause: Cause | None
    retries: int
    lost: bool


def _may_have_acted(answer: Answer) -> bool:
    return (answer.status == 0 and answer.sent) or answer.status >= 500
