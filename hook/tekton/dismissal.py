"""Dismissal: the last of an old set. It lists nothing by then; what is left of its resources must not follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hook.generations.installer_set import InstallerSet
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.tekton.installer_set import TektonInstallerSet
from hook.tekton.references import References
from hook.tekton.sets import TektonSets

# Seconds, and no more than this share of the time that is left: an operator that was killed holds its Lease awhile.
_PATIENCE = 120.0
_SHARE = 0.8
_POLL = 0.2
_TRIES = 6
_PASS = 1.0  # seconds: a pass of the operator over what a set listed until now may be under way


def dismiss(session: Session, sets: TektonSets, found: TektonInstallerSet, records: Iterable[InstallerSet]) -> str:
    """Delete the old set, by uid and resourceVersion, and wait until it is gone; why it is still there, or "".

    `records` are all of the component's: whatever of theirs still has the set as an owner loses it first.
    """
    listed: dict[Identity, str] = {e.identity: e.version for one in records for e in (*one.resources, *one.retained)}
    if why := _delete(session, sets, found, listed):
        return why
    if not _gone(session, lambda: sets.get(found.name), found.uid):
        return (
            f"TektonInstallerSet {found.name} is being deleted, and its finalizer is still there: the operator's "
            "reconciler of TektonInstallerSets has to run"
        )
    session.journal.note("pruned", found.identity)
    return ""


def _delete(session: Session, sets: TektonSets, found: TektonInstallerSet, listed: Mapping[Identity, str]) -> str:
    """Why that was not possible, or ""."""
    references = References(session, {found.uid})
    for _ in range(_TRIES):
        current = sets.get(found.name)
        if current is None or current.uid != found.uid:
            return ""
        if current.manifests:
            # The operator may have made again what was pruned already: that is for the next run.
            sets.keep_only(current, lambda _: ())
            session.deadline.pause(_PASS)
            references.take_out({**listed, **current.listed()})
            return (
                f"somebody has given TektonInstallerSet {found.name} manifests again, which were taken out; run again"
            )
        references.take_out(listed)
        if current.being_deleted or sets.delete(current):
            return ""
    return f"TektonInstallerSet {found.name} is changed by somebody all the time; run again"


def _gone(session: Session, read: Callable[[], TektonInstallerSet | None], uid: str) -> bool:
    left = min(_PATIENCE, session.deadline.remaining() * _SHARE)
    while (now := read()) is not None and now.uid == uid:
        if left <= 0:
            return False
        session.deadline.pause(_POLL)
        left -= _POLL
    return True
