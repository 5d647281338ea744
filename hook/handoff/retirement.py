"""Retire: mark exactly the sets that the record names, by name and uid, and no others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from hook.cluster.answers import ApiError, Cause
from hook.errors import Unreachable
from hook.generations.installer_set import InstallerSet, Retirement, SetReference
from hook.handoff.events import NORMAL
from hook.handoff.session import Session
from hook.records.conditions import retired

_TRIES = 5


def retire(session: Session, named: Collection[SetReference], digest: str) -> tuple[InstallerSet, ...]:
    """Retire the named sets in favour of the generation `digest`; returns all retiring sets that were named.

    From the first of these writes on a time limit no longer means "nothing was retired".
    """
    references = set(named)
    found = [one for one in session.records.read() if one.reference in references and not one.being_deleted]
    if found:
        session.deadline.retirement_began = True
    return tuple(one for one in session.parallel(lambda one: _retire(session, one, digest), found) if one)


def _retire(session: Session, current: InstallerSet, digest: str) -> InstallerSet | None:
    for _ in range(_TRIES):
        if current.retired_by is not None and current.retired_by.digest == digest:
            return current
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        try:
            done = session.records.update(
                replace(current, retired_by=Retirement(digest, now), run_mark=session.run_mark)
            )
        except ApiError as error:
            if error.cause not in (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH):
                raise
            again = [one for one in session.records.read() if one.reference == current.reference]
            if not again:
                return None
            current = again[0]
            continue
        session.journal.note("retired", f"InstallerSet {done.namespace}/{done.name}", done.version)
        session.events.tell(done, NORMAL, "Retired", f"retired by generation {digest[:12]}")
        return session.records.write_status(done, retired(digest[:12]))
    raise Unreachable(f"InstallerSet {current.namespace}/{current.name} is changed by somebody all the time; run again")
