"""Which run is the newest: a mark that only rises, so that a delayed older run changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from hook.errors import Refused

_CREATED = "installersets.io/job-created"
_UID = "installersets.io/job-uid"
_NAMESPACE = "installersets.io/job-namespace"
_NAME = "installersets.io/job-name"
_GENERATION = "installersets.io/job-generation"


@dataclass(frozen=True, slots=True)
class Mark:
    """One run: when its Job was created (RFC 3339, the server's clock), which Job that is, and what it brings.

    A run without a Job has no uid and no name; its time is that of its Lease write.
    """

    created: str
    uid: str = ""
    namespace: str = ""
    name: str = ""
    generation: str = ""

    def annotations(self) -> dict[str, str]:
        """The mark as it stands on the Lease and on sets; all keys, so that a newer mark replaces all of an older."""
        return {
            _CREATED: self.created,
            _UID: self.uid,
            _NAMESPACE: self.namespace,
            _NAME: self.name,
            _GENERATION: self.generation,
        }

    @classmethod
    def of(cls, metadata: Mapping[str, object]) -> Mark | None:
        """The mark on an object's metadata, None if there is none."""
        annotations = metadata.get("annotations")
        if not isinstance(annotations, Mapping) or not annotations.get(_CREATED):
            return None
        return cls(*(str(annotations.get(key) or "") for key in (_CREATED, _UID, _NAMESPACE, _NAME, _GENERATION)))

    @property
    def instant(self) -> datetime:
        """`created` as a time; what is no time is older than any."""
        try:
            instant = datetime.fromisoformat(self.created)
        except ValueError:
            return datetime.min.replace(tzinfo=UTC)
        return instant if instant.tzinfo else instant.replace(tzinfo=UTC)

    def __str__(self) -> str:
        who = f"Job {self.namespace}/{self.name}" if self.name else "a run without a Job"
        return f"{who} of {self.created}" + (f", generation {self.generation}" if self.generation else "")


class Superseded(Refused):
    """A newer run took the Lease before; `mark` says which. Nothing was changed.

    Whether that is success (exit 0) depends on the health of what the newer run installed: the caller looks.
    """

    def __init__(self, component: str, own: Mark, mark: Mark) -> None:
        super().__init__(f"{component}: this run ({own}) is superseded by {mark}; nothing was changed")
        self.mark = mark


def supersedes(other: Mark, own: Mark, exists: Callable[[Mark], bool | None]) -> bool:
    """Whether the run of `other` is newer than our own, whose Job is known to exist.

    Creation times have a resolution of one second, so equal ones are common: then the Job that still exists wins
    (`exists` may answer None: cannot tell), and of two that exist the one with the greater uid.
    """
    if other.uid == own.uid and other.uid:
        return False
    if other.instant != own.instant:
        return other.instant > own.instant
    if not other.uid or exists(other) is False:
        return False
    return other.uid > own.uid


def higher(first: Mark | None, second: Mark | None) -> Mark | None:
    """The higher of two marks that were read; of two with equal times the one with the greater uid."""
    if first is None or second is None:
        return first or second
    return max(first, second, key=lambda mark: (mark.instant, mark.uid))
