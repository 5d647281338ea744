"""What every step of one run shares: settings, the cluster, the records, the journal and the time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.errors import HandoffError, Refused, Terminated, Unreachable
from hook.generations.installer_set import Fact
from hook.generations.marks import field_manager
from hook.handoff.deadline import Deadline
from hook.handoff.events import Events
from hook.handoff.operator import NoOperator, Operator
from hook.manifests.identity import Identity, Kind
from hook.records.interface import Records
from hook.report.journal import Journal
from hook.settings import Settings

T = TypeVar("T")
R = TypeVar("R")

WORKERS = 12  # requests at a time; more do not help one API server


@dataclass(slots=True)
class Session:
    settings: Settings
    component: str
    namespace: str  # of the sets
    objects: Objects
    discovery: Discovery
    reread_discovery: Callable[[], Discovery]
    records: Records
    journal: Journal
    deadline: Deadline
    events: Events
    operator: Operator = field(default_factory=NoOperator)
    run_mark: Mapping[str, str] = field(default_factory=dict)  # this run's place among the runs, for sets
    facts: dict[Identity, Fact] = field(default_factory=dict)  # of what this run applied, or found unchanged
    applied_at: dict[Identity, float] = field(default_factory=dict)  # of what this run wrote, on the monotonic clock
    absent: set[Identity] = field(default_factory=set)  # desired, and rightly not there: Jobs that are done

    @property
    def manager(self) -> str:
        return field_manager(self.namespace, self.component)

    def refresh_discovery(self) -> None:
        self.discovery = self.reread_discovery()

    def type_of(self, kind: Kind, version: str | None = None) -> ResourceType | None:
        """The type that serves a kind: at `version` where that is served, else at the preferred one."""
        return self.discovery.find(kind, version)

    def require_type(self, kind: Kind, version: str) -> ResourceType:
        """The type that serves a kind at exactly this version.

        Raises Refused where there is none, and Unreachable where that cannot be told now.
        """
        found = self.discovery.find(kind, version)
        if found is None and self.discovery.is_unknown(kind):
            raise Unreachable(f"{kind}: its API group is not available now (see its APIService); run again")
        if found is None or found.version != version:
            group_version = f"{kind.group}/{version}" if kind.group else version
            raise Refused(
                f"{kind.kind}: {group_version} is not served by this cluster; "
                "add its CustomResourceDefinition to the input, install its API first, or change the manifest"
            )
        return found

    def parallel(self, function: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Call `function` for every item, some at a time; all are tried before the worst error is raised."""
        items = list(items)
        if len(items) < 2:
            return [function(item) for item in items]
        with ThreadPoolExecutor(min(WORKERS, len(items))) as pool:
            futures = [pool.submit(function, item) for item in items]
        errors = [error for future in futures if (error := future.exception())]
        if errors:
            raise worst(errors)
        return [future.result() for future in futures]


def worst(errors: list[BaseException]) -> BaseException:
    """One error for several: what no retry can help with first, with the others as details."""
    unexpected = [error for error in errors if not isinstance(error, HandoffError)]
    if unexpected:
        return unexpected[0]
    known = [error for error in errors if isinstance(error, HandoffError)]
    order = {Terminated.exit_code: 0, 5: 1, 3: 2, 4: 3, 2: 4}
    known.sort(key=lambda error: order.get(error.exit_code, 9))
    first, *others = known
    same = [error.message for error in others if error.exit_code == first.exit_code]
    if same:
        first.details = (*first.details, *dict.fromkeys(same))
    return first
