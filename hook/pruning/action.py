"""What is done about one candidate, and what becomes of its line in the record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hook.manifests.identity import Identity


class Action(StrEnum):
    RENAMED = "renamed"  # the same object lives under a successor's identity
    KEEP = "keep"  # a successor lists it
    WAIT = "wait"  # it is being deleted already
    FOREIGN = "foreign"  # somebody else's
    GIVE_UP = "give up"  # it stays for another owner; our mark and our fields' ownership go
    RETAIN = "retain"  # no longer desired, kept by rule
    DEFER = "defer"  # a Namespace or CRD whose obsolete contents go first
    DELETE = "delete"
    GONE = "gone"
    UNKNOWN = "unknown"
    FORBIDDEN = "forbidden"

    @property
    def drops(self) -> bool:
        """True where the line leaves the record (of GIVE_UP: once its patch has succeeded)."""
        return self in {Action.RENAMED, Action.KEEP, Action.FOREIGN, Action.GIVE_UP, Action.GONE}

    @property
    def incomplete(self) -> bool:
        """True where the line stays in the record and the run ends with exit 6.

        A deletion or a wait that does not end in time counts likewise; only the caller can see that.
        """
        return self in {Action.UNKNOWN, Action.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be done about one candidate, and why.

    - `version`: the served version to use for it, and to write in the record where it stays there;
    - `uid`, `resource_version`: of the live read, the preconditions of a DELETE (GIVE_UP needs the latter);
    - `propagation`: policy of a DELETE, else "";
    - `successor`: of RENAMED, the identity that the object has now;
    - `by_rule`: of RETAIN and GIVE_UP, that a rule keeps the object, not another owner;
    - `notes`: what people should know besides, e.g. that the object was recreated since it was recorded.
    """

    action: Action
    identity: Identity
    reason: str
    version: str = ""
    uid: str = ""
    resource_version: str = ""
    propagation: str = ""
    successor: Identity | None = None
    by_rule: bool = False
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.action} {self.identity}: {self.reason}"
