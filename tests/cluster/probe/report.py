"""What the probe saw, resource by resource."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.cluster.probe.targets import Target


@dataclass(slots=True)
class ResourceReport:
    """The counts of one resource; times in milliseconds.

    `misses` are reads answered with 404 for the object, `unserved` those answered with 404 for the whole kind,
    `errors` everything else that is not 200. `longest_interval_ms` is the longest time between two answered reads: a
    gap shorter than that can only be seen by the watch. `deleted`, `terminating` and `uid_changes` come from the
    watch; a uid that changed between two reads is counted too.
    """

    target: Target
    reads: int = 0
    misses: int = 0
    unserved: int = 0
    errors: int = 0
    longest_interval_ms: float = 0.0
    longest_gap_ms: float = 0.0
    deleted: int = 0
    terminating: int = 0
    uid_changes: int = 0
    last_error: str = ""

    @property
    def gone(self) -> bool:
        """Whether it was absent, about to be, or replaced at any moment that was seen."""
        return bool(self.misses or self.unserved or self.deleted or self.terminating or self.uid_changes)

    def __str__(self) -> str:
        return (
            f"{self.target}: {self.reads} reads, {self.misses} misses, {self.unserved} unserved, {self.errors} errors, "
            f"longest interval {self.longest_interval_ms:.0f} ms, longest gap {self.longest_gap_ms:.0f} ms; "
            f"{self.deleted} DELETED, {self.terminating} terminating, {self.uid_changes} uid changes"
        )


@dataclass(slots=True)
class ProbeReport:
    """The whole: `seconds` from the first round to the end, and how often a watch was cut and resumed."""

    seconds: float
    watch_restarts: int
    resources: list[ResourceReport] = field(default_factory=list)

    @property
    def reads(self) -> int:
        """All reads that were answered."""
        return sum(resource.reads for resource in self.resources)

    @property
    def misses(self) -> int:
        """All reads that found nothing."""
        return sum(resource.misses for resource in self.resources)

    @property
    def longest_interval_ms(self) -> float:
        """The longest time for which some resource was not read."""
        return max((resource.longest_interval_ms for resource in self.resources), default=0.0)

    def gone(self) -> list[ResourceReport]:
        """The resources that were absent, about to be, or replaced; empty when nothing happened."""
        return [resource for resource in self.resources if resource.gone]

    def without(self, excepted: Callable[[Target], bool]) -> ProbeReport:
        """The same without some resources, such as changed Jobs, which are recreated on purpose."""
        kept = [resource for resource in self.resources if not excepted(resource.target)]
        return ProbeReport(self.seconds, self.watch_restarts, kept)

    def to_json(self) -> dict[str, Any]:
        """A JSON document that `from_json` reads back; the sums stand in it too, for people."""
        sums = {"reads": self.reads, "misses": self.misses, "longest_interval_ms": self.longest_interval_ms}
        return {**asdict(self), "sums": sums}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> ProbeReport:
        """Reads what `to_json` wrote."""
        resources: Iterable[Mapping[str, Any]] = document["resources"]
        return cls(
            document["seconds"],
            document["watch_restarts"],
            [ResourceReport(**{**entry, "target": Target(**entry["target"])}) for entry in resources],
        )
