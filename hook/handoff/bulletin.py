"""Bulletin: what a run waits for, told while it waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hook.cluster.answers import ApiError, transient
from hook.handoff.obstacles import Obstacle, summary
from hook.manifests.identity import Identity
from hook.report.journal import Journal
from hook.report.log import logger

_REPEAT = 10.0  # seconds after which a line in the log is said again
_BREATH = 1.0  # seconds between two lines that differ
_WRITE = 10.0  # seconds between two writes to the sets


class Bulletin:
    """For one run, however often it waits.

    `write` puts a message into the status of the sets. It is called when a wait begins, and when what is waited for
    has changed since, at most every ten seconds. A write that fails for a passing cause is made up for later.
    """

    def __init__(self, journal: Journal, write: Callable[[str], object] | None = None) -> None:
        self.write = write
        self._journal = journal
        self._since: dict[Identity, float] = {}
        self._logged, self._logged_at = "", float("-inf")
        self._written, self._written_at = "", float("-inf")

    def since(self, identity: Identity) -> float:
        """When it was first found not ready, in seconds since the epoch: now, unless it was before."""
        return self._since.setdefault(identity, time.time())

    def is_ready(self, identity: Identity) -> None:
        """Should it ever not be again, that is news."""
        self._since.pop(identity, None)

    def post(self, obstacles: Sequence[Obstacle], waiting_for: Sequence[str] = ()) -> None:
        """Tell what stands in the way now; `waiting_for` are lines about what is no object of the generation."""
        self._journal.waiting_for = [
            *({"object": line, "state": "InProgress", "reason": line} for line in waiting_for),
            *(one.as_object() for one in obstacles),
        ]
        now = time.monotonic()
        told = "; ".join(part for part in (*waiting_for, summary(obstacles)) if part)
        patience = _BREATH if told != self._logged else _REPEAT
        if now - self._logged_at >= patience:
            self._logged, self._logged_at = told, now
            logger().info("waiting", objects=len(obstacles) + len(waiting_for), **{"for": told})
        dated = "; ".join(part for part in (*waiting_for, summary(obstacles, dated=True)) if part)
        if self.write is not None and dated != self._written and now - self._written_at >= _WRITE:
            self._written_at = now
            try:
                self.write(dated)
            except ApiError as error:
                if not transient(error.cause):
                    raise
                logger().warning("the sets' status could not be written", error=error.message)
            else:
                self._written = dated

    def close(self) -> None:
        """Nothing is waited for any more."""
        self._journal.waiting_for = []
