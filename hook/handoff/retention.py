"""The record of a prune: what is kept by rule stays a candidate, and an old set goes when nothing of it is left."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hook.cluster.answers import ApiError, Cause
from hook.errors import PruneIncomplete
from hook.generations.installer_set import Entry, InstallerSet
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.manifests.parts import Part
from hook.pruning.action import Decision

_TRIES = 6
_MOVED = (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH)


def retain(
    session: Session, living: tuple[InstallerSet, ...], decisions: Sequence[Decision]
) -> tuple[InstallerSet, ...]:
    """Write what is kept by rule to one of the living sets; returns these as they then are.

    Raises PruneIncomplete where that set is gone: somebody has deleted it.
    """
    new = {d.identity: Entry(d.identity, d.version, why=d.reason) for d in decisions}
    keeper = _keeper(living)
    for _ in range(_TRIES):
        have = {entry.identity: entry for entry in keeper.retained}
        merged = tuple(sorted({**have, **new}.values()))
        if merged == keeper.retained:
            break
        try:
            keeper = session.records.update(replace(keeper, retained=merged))
            break
        except ApiError as error:
            if error.cause not in _MOVED:
                raise
        keeper = _keeper(tuple(one for one in session.records.read() if one.reference == keeper.reference))
    return tuple(keeper if one.name == keeper.name else one for one in living)


def close_records(
    session: Session, retiring: Collection[InstallerSet], done: Collection[Identity], kept: Collection[Identity]
) -> dict[Identity, str]:
    """Delete each retiring set of which nothing is left, and take from the others what is `done`.

    `kept` is what of it stays retained. A set that somebody changes meanwhile is left to the next run. Returns the sets
    of an operator that are still there, and why: their records stay.
    """
    named = {one.reference for one in retiring}
    held: dict[Identity, str] = {}
    for one in session.records.read():
        try:
            if one.retiring and one.reference in named:
                if why := _close(session, one, done):
                    held[one.identity] = why
            elif not one.retiring and any(e.identity in done and e.identity not in kept for e in one.retained):
                left = tuple(e for e in one.retained if e.identity not in done or e.identity in kept)
                session.records.update(replace(one, retained=left))
        except ApiError as error:
            if error.cause not in _MOVED:
                raise
            session.journal.note(
                "warnings", f"InstallerSet {one.namespace}/{one.name}", "changed by somebody meanwhile"
            )
    return held


def _close(session: Session, one: InstallerSet, done: Collection[Identity]) -> str:
    left = tuple(entry for entry in one.resources if entry.identity not in done)
    retained = tuple(entry for entry in one.retained if entry.identity not in done)
    if not left and not retained:
        if why := session.operator.dismiss(one):
            return why
        session.records.delete(one)
    elif (left, retained) != (one.resources, one.retained):
        session.records.update(replace(one, resources=left, retained=retained))
    return ""


def _keeper(living: Sequence[InstallerSet]) -> InstallerSet:
    """The static set, which is always there."""
    for one in living:
        if one.part == Part.STATIC and not one.shard:
            return one
    if living:
        return living[0]
    raise PruneIncomplete("the set that is to record what is kept was deleted by somebody; run again")
