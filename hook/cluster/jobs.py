"""The Job that this process runs in, if it does."""

from __future__ import annotations

from dataclasses import dataclass

from hook.cluster.answers import ApiError, Cause
from hook.cluster.high_water import Mark
from hook.cluster.objects import Objects
from hook.cluster.resource_type import JOB
from hook.errors import Terminated

_URGENT_TIMEOUT = 3.0


@dataclass(frozen=True, slots=True)
class JobRef:
    """A Job by name and uid, and its creation time (RFC 3339)."""

    namespace: str
    name: str
    uid: str
    created: str

    def mark(self, generation: str) -> Mark:
        """The high-water mark of a run in this Job."""
        return Mark(self.created, self.uid, self.namespace, self.name, generation)


def own_job(objects: Objects, namespace: str, name: str, uid: str) -> JobRef:
    """The Job that this process runs in, by the name and uid that its pod's labels carry.

    Raises Terminated if the Job is gone, replaced or being deleted: a pod that lives on after its Job must not work.
    """
    created = _creation(objects, namespace, name, uid)
    if created is None:
        raise Terminated(f"the Job {namespace}/{name} of this pod is gone, replaced or being deleted")
    return JobRef(namespace, name, uid, created)


def exists(objects: Objects, namespace: str, name: str, uid: str, *, urgent: bool = False) -> bool | None:
    """Whether the Job of that uid is there and not being deleted; None if that cannot be told."""
    try:
        return _creation(objects, namespace, name, uid, urgent=urgent) is not None
    except ApiError:
        return None


def _creation(objects: Objects, namespace: str, name: str, uid: str, *, urgent: bool = False) -> str | None:
    """The Job's creation time, None if it is gone, another one or being deleted."""
    try:
        # Between two renewals of the Lease there is no time to try again.
        timeout = _URGENT_TIMEOUT if urgent else None
        metadata = objects.get(JOB, namespace, name, metadata_only=True, urgent=urgent, timeout=timeout)["metadata"]
    except ApiError as error:
        if error.cause is Cause.NOT_FOUND:
            return None
        raise
    if metadata.get("uid") != uid or metadata.get("deletionTimestamp"):
        return None
    return str(metadata["creationTimestamp"])
