"""Keys to be worked on, each by one worker at a time, now, later, or after a pause that grows with each failure."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque

_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 1000.0


class WorkQueue:
    """As client-go's: a key that is added while it is worked on is worked on once more afterwards, not beside it."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: deque[str] = deque()
        self._dirty: set[str] = set()
        self._processing: set[str] = set()
        self._later: dict[str, float] = {}
        self._failures: Counter[str] = Counter()

    def add(self, key: str) -> None:
        """Has the key worked on as soon as a worker is free."""
        with self._condition:
            self._add(key)
            self._condition.notify()

    def add_after(self, key: str, seconds: float) -> None:
        """The same in a while; of several times for one key the first counts."""
        with self._condition:
            self._later[key] = min(time.monotonic() + seconds, self._later.get(key, float("inf")))
            self._condition.notify()

    def retry(self, key: str) -> None:
        """The same after a pause that doubles with each failure since the last success."""
        with self._condition:
            failures = self._failures[key]
            self._failures[key] += 1
        self.add_after(key, min(_FIRST_PAUSE * 2 ** min(failures, 30), _LONGEST_PAUSE))

    def forget(self, key: str) -> None:
        """It succeeded: the next pause is the shortest again."""
        with self._condition:
            del self._failures[key]

    def take(self) -> str:
        """Waits for the next key; `done` has to follow."""
        with self._condition:
            while True:
                now = time.monotonic()
                for key in [key for key, due in self._later.items() if due <= now]:
                    del self._later[key]
                    self._add(key)
                if self._waiting:
                    key = self._waiting.popleft()
                    self._dirty.discard(key)
                    self._processing.add(key)
                    if self._waiting:
                        self._condition.notify()
                    return key
                self._condition.wait(min(self._later.values()) - now if self._later else None)

    def done(self, key: str) -> None:
        """The worker is through with the key."""
        with self._condition:
            self._processing.discard(key)
            if key in self._dirty:
                self._waiting.append(key)
                self._condition.notify()

    def _add(self, key: str) -> None:
        if key in self._dirty:
            return
        self._dirty.add(key)
        if key not in self._processing:
            self._waiting.append(key)
