"""Dismissal: the last of an old set. It lists nothing by then; what is left of its resources must not follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
# Seconds after somebody's edit was taken back: the operator may be at work on it, and give the set what it listed.
_PASS = 1.0


def dismiss(session: Session, sets: TektonSets, found: TektonInstallerSet, records: Iterable[InstallerSet]) -> str:
    """Delete the old set, by uid and resourceVersion, and wait until it is gone; why it is still there, or "".

    `records` are all of the component's: whatever of theirs still has the set as an owner loses it first.
    """
    listed: dict[Identity, str] = {e.identity: e.version for one in records for e in (*one.resources, *one.retained)}
    listed |= found.listed()
    if not _delete(session, sets, found, listed):
        return f"TektonInstallerSet {found.name} is changed by somebody all the time; run again"
    if not _gone(session, lambda: sets.get(found.name), found.uid):
        return (
            f"TektonInstallerSet {found.name} is being deleted, and its finalizer is still there: the operator's "
            "reconciler of TektonInstallerSets has to run"
        )
    session.journal.note("pruned", found.identity)
    return ""


def _delete(session: Session, sets: TektonSets, found: TektonInstallerSet, listed: dict[Identity, str]) -> bool:
    """False where somebody changes the set between each read and its deletion."""
    references = References(session, {found.uid})
    for _ in range(_TRIES):
        current = sets.get(found.name)
        if current is None or current.uid != found.uid:
            return True
        if current.manifests:
            listed |= current.listed()
            sets.keep_only(current, lambda _: ())
            session.deadline.pause(_PASS)
            continue
        references.take_out(listed)
        if current.being_deleted or sets.delete(current):
            return True
    return False


def _gone(session: Session, read: Callable[[], TektonInstallerSet | None], uid: str) -> bool:
    left = min(_PATIENCE, session.deadline.remaining() * _SHARE)
    while (now := read()) is not None and now.uid == uid:
        if left <= 0:
            return False
        session.deadline.pause(_POLL)
        left -= _POLL
    return True
