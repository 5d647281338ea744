"""The journal of one run: what happened to which resource, said once and kept for the result."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hook.manifests.identity import Identity
from hook.report.log import logger

# Lists of the result, in the order in which they are shown.
LISTS = (
    "leftOut",
    "adopted",
    "shared",
    "carried",
    "conflicts",
    "kept",
    "recreated",
    "retired",
    "pruned",
    "handedOver",
    "foreign",
    "incomplete",
    "warnings",
)
COUNTS = ("created", "changed", "unchanged", "pruned")


@dataclass(slots=True)
class Journal:
    """Thread-safe. Every note is logged when it is made; the same note twice is one."""

    component: str = ""
    generation: str = ""
    version: str = ""
    outcomes: dict[Identity, str] = field(default_factory=dict)  # one of COUNTS for each resource
    lists: dict[str, dict[tuple[str, str], None]] = field(default_factory=lambda: {name: {} for name in LISTS})
    seconds: dict[str, float] = field(default_factory=dict)
    waiting_for: list[dict[str, Any]] = field(default_factory=list)
    requests: dict[str, int] = field(default_factory=dict)
    result: str = ""
    exit_code: int = 0
    message: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure one phase of the run; the time of a phase entered twice adds up."""
        logger().info("phase", phase=name)
        start = time.monotonic()
        try:
            yield
        finally:
            spent = time.monotonic() - start
            self.seconds[name] = round(self.seconds.get(name, 0.0) + spent, 3)

    def note(self, name: str, subject: Identity | str, why: str = "") -> None:
        """Put a subject on one of LISTS, with the reason."""
        key = (str(subject), why)
        with self._lock:
            if key in self.lists[name]:
                return
            self.lists[name][key] = None
        level = "warning" if name in ("incomplete", "warnings", "conflicts") else "info"
        getattr(logger(), level)(name, object=key[0], **({"why": why} if why else {}))

    @property
    def counts(self) -> Counter[str]:
        """How many resources came out as each of COUNTS."""
        with self._lock:
            return Counter(self.outcomes.values())

    @property
    def written(self) -> set[Identity]:
        """The resources that were created or changed."""
        with self._lock:
            return {identity for identity, what in self.outcomes.items() if what in ("created", "changed")}

    def count(self, what: str, identity: Identity) -> None:
        """Set a resource's outcome to one of COUNTS; of two passes over it the one that wrote first counts.

        Created and changed ones are logged; what is pruned is noted as well.
        """
        with self._lock:
            if self.outcomes.get(identity, "unchanged") == "unchanged" or what == "pruned":
                self.outcomes[identity] = what
        if what in ("created", "changed"):
            logger().info(what, object=str(identity))

    def listed(self, name: str) -> list[tuple[str, str]]:
        with self._lock:
            return list(self.lists[name])
