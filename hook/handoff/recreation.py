"""Recreate: delete one object for good, wait until it is gone, and leave its place to the new one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.handoff.containment import hold_up
from hook.handoff.planning import JOB
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object
from hook.pruning.reading import Present
from hook.report.log import logger

_POLL = 0.2  # seconds between two reads
_BREATH, _REPEAT = 1.0, 10.0  # seconds until a line in the log says what is waited for, and says it again


def make_room(session: Session, found: ResourceType, identity: Identity, live: Object) -> None:
    """Delete the live object, with the uid and resourceVersion of a read, and wait for its 404.

    A Job is work that runs once: one that has not ended is waited for first. Foreground, so that its pods are gone
    too: without a propagation policy a Job's pods are orphaned and run on.
    """
    while True:
        current = _read(session, found, identity)
        if current is None or current["metadata"]["uid"] != live["metadata"]["uid"]:
            return
        if current["metadata"].get("deletionTimestamp"):
            await_absence(session, found, identity, live["metadata"]["uid"])
            return
        if identity.of_kind == JOB and not job_has_ended(current):
            session.deadline.check(f"{identity} has not ended (its template changed; the new one follows it)")
            session.deadline.pause(_POLL * 5)
            continue
        try:
            session.objects.delete(
                found,
                identity.namespace,
                identity.name,
                uid=current["metadata"]["uid"],
                resource_version=current["metadata"]["resourceVersion"],
                propagation="Foreground",
            )
        except ApiError as error:
            if error.cause not in (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH):
                raise


def await_absence(session: Session, found: ResourceType, identity: Identity, uid: str) -> None:
    """Return once no object of this uid is there; raises the deadline's error, naming what holds it."""
    tell_at = time.monotonic() + _BREATH
    while True:
        current = _read(session, found, identity)
        if current is None or current["metadata"]["uid"] != uid:
            return
        if session.deadline.remaining() <= 0:
            held = hold_up(session, identity, Present(current["metadata"], found.version))
            raise session.deadline.passed(f"{identity} is being deleted", held)
        if time.monotonic() > tell_at:
            held = hold_up(session, identity, Present(current["metadata"], found.version))
            logger().info("waiting", **{"for": "; ".join(held) or f"{identity} is being deleted"})
            tell_at = time.monotonic() + _REPEAT
        session.deadline.pause(_POLL)


def job_has_ended(job: Mapping[str, Any]) -> bool:
    """Complete or Failed is true; a Job whose pods still terminate has not ended yet."""
    conditions = (job.get("status") or {}).get("conditions") or []
    return any(c.get("type") in ("Complete", "Failed") and c.get("status") == "True" for c in conditions)


def _read(session: Session, found: ResourceType, identity: Identity) -> Object | None:
    try:
        return session.objects.get(found, identity.namespace, identity.name, metadata_only=identity.of_kind != JOB)
    except ApiError as error:
        if error.cause is Cause.NOT_FOUND:
            return None
        raise
