"""Record: the desired sets with their full inventory, and what they replace, before anything is applied."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hook.cluster.answers import ApiError, Cause
from hook.errors import Refused, Unreachable
from hook.generations.generation import Generation
from hook.generations.installer_set import Entry, InstallerSet, SetReference
from hook.generations.sharding import desired_sets
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.records.conditions import applying

_TRIES = 5


def record(
    session: Session, generation: Generation, sets: tuple[InstallerSet, ...], adopted: Collection[Identity]
) -> tuple[InstallerSet, ...]:
    """Create, complete or un-retire the desired sets; returns them as they now stand.

    `sets` are all sets of the component as observed. Raises Refused where another generation has taken the name,
    which takes two digests that begin with the same 12 digits.
    """
    session.records.prepare()
    sets_of_generation = desired_sets(generation, session.namespace, session.settings.revision)
    wanted = tuple(
        replace(one, run_mark=session.run_mark, operator_set=session.operator.set_for(one))
        for one in sets_of_generation
    )
    names = {one.name for one in wanted}
    others = tuple(sorted(one.reference for one in sets if one.name not in names))
    existing = {one.name: one for one in sets}
    return tuple(session.parallel(lambda one: _record(session, one, existing.get(one.name), others, adopted), wanted))


def _record(
    session: Session,
    wanted: InstallerSet,
    current: InstallerSet | None,
    others: tuple[SetReference, ...],
    adopted: Collection[Identity],
) -> InstallerSet:
    if current is None:
        current = session.records.create(_completed(wanted, wanted, others, adopted))
    for _ in range(_TRIES):
        if current.being_deleted:
            current = _await_deletion(session, wanted, current, others, adopted)
        if current.digest != wanted.digest:
            raise Refused(
                f"InstallerSet {current.namespace}/{current.name} records another generation "
                f"(sha256:{current.digest}, wanted sha256:{wanted.digest}); change any manifest to get another name"
            )
        completed = _completed(wanted, current, others, adopted)
        revived = current.retiring
        # Which run wrote it is no reason to write.
        if completed != replace(current, run_mark=completed.run_mark):
            try:
                current = session.records.update(completed)
            except ApiError as error:
                if error.cause not in (Cause.STALE, Cause.UID_MISMATCH, Cause.NOT_FOUND):
                    raise
                current = _reread(session, wanted, others, adopted)
                continue
        if revived or not current.status.get("observedGeneration"):
            # Completions of Jobs belong to the life that ended with the retirement.
            current = session.records.write_status(current, applying(), {} if revived else None)
        return current
    raise Unreachable(f"InstallerSet {wanted.namespace}/{wanted.name} is changed by somebody all the time; run again")


def _completed(
    wanted: InstallerSet, current: InstallerSet, others: tuple[SetReference, ...], adopted: Collection[Identity]
) -> InstallerSet:
    """The set as it must stand: full inventory, alive, naming every other set; what it retains stays."""
    before = {entry.identity for entry in current.resources if entry.adopted}
    resources = tuple(
        Entry(entry.identity, entry.version, adopted=entry.identity in before or entry.identity in adopted)
        for entry in wanted.resources
    )
    listed = {entry.identity for entry in resources}
    return replace(
        current,
        component=wanted.component,
        part=wanted.part,
        shard=wanted.shard,
        shards=wanted.shards,
        target_namespace=wanted.target_namespace,
        version=wanted.version,
        run_mark=wanted.run_mark,
        revision=wanted.revision or current.revision,
        resources=resources,
        # Left alone where there are no others: a finished handoff must not be written again.
        replaces=others or current.replaces,
        retained=tuple(entry for entry in current.retained if entry.identity not in listed),
        retired_by=None,
        operator_set=current.operator_set or wanted.operator_set,
    )


def _reread(
    session: Session, wanted: InstallerSet, others: tuple[SetReference, ...], adopted: Collection[Identity]
) -> InstallerSet:
    for one in session.records.read():
        if one.name == wanted.name:
            return one
    return session.records.create(_completed(wanted, wanted, others, adopted))


def _await_deletion(
    session: Session,
    wanted: InstallerSet,
    current: InstallerSet,
    others: tuple[SetReference, ...],
    adopted: Collection[Identity],
) -> InstallerSet:
    """A set that somebody deletes cannot be saved; the one that follows it records the same."""
    while current.being_deleted:
        session.deadline.check(f"InstallerSet {current.namespace}/{current.name} is being deleted by somebody")
        session.deadline.pause(0.2)
        current = _reread(session, wanted, others, adopted)
    return current
