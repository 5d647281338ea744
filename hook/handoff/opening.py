"""Open one run: connection, Lease, discovery and records, and give the Lease back at the end."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from hook.cluster.answers import ApiError, Cause
from hook.cluster.connection import Connection
from hook.cluster.discovery import Discovery
from hook.cluster.high_water import Mark
from hook.cluster.jobs import JobRef, own_job
from hook.cluster.lease import Lease
from hook.cluster.objects import Objects
from hook.cluster.resource_type import NAMESPACE
from hook.errors import HandoffError, Refused
from hook.generations.body import body_of
from hook.generations.generation import Generation
from hook.generations.marks import field_manager
from hook.handoff.deadline import Deadline
from hook.handoff.events import Events
from hook.handoff.session import Session
from hook.manifests.identity import Identity
from hook.records.definition import Definition
from hook.records.native import NativeRecords
from hook.report.journal import Journal
from hook.report.log import logger
from hook.settings import Settings


class NothingToRemove(HandoffError):
    """A removal where there is nothing: done, and no failure."""

    exit_code = 0


@contextmanager
def opened(
    connection: Connection, settings: Settings, journal: Journal, generation: Generation | None
) -> Iterator[tuple[Session, Lease]]:
    """A session under the component's Lease.

    `generation` is None for a removal. Raises LockedError, Superseded, Refused (no namespace), and what the
    connection raises.
    """
    objects = Objects(connection)
    holder = f"{os.environ.get('HANDOFF_POD_NAME') or socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    lease = Lease(
        objects,
        settings.namespace,
        settings.component,
        holder,
        job=_own_job(objects, connection.namespace),
        generation=generation.short if generation else "",
    )
    with journal.phase("lock"):
        _acquire(objects, lease, settings, generation, journal)
    with lease:
        session = unlocked(connection, settings, journal)
        for one in session.records.read():
            lease.observe(Mark.of({"annotations": one.run_mark}))
        session.run_mark = lease.mark.annotations()
        yield session, lease


def unlocked(connection: Connection, settings: Settings, journal: Journal) -> Session:
    """A session without the Lease, for what only reads."""
    objects = Objects(connection)
    deadline = Deadline(settings.timeout, connection.stop, connection.check_stop)
    connection.retry.deadline = deadline.end
    discovery = Discovery.read(connection)

    def reread() -> Discovery:
        return Discovery.read(connection)

    definition = Definition(objects, discovery, reread, deadline.pause)
    return Session(
        settings=settings,
        component=settings.component,
        namespace=settings.namespace,
        objects=objects,
        discovery=discovery,
        reread_discovery=reread,
        records=NativeRecords(objects, definition, settings.namespace, settings.component),
        journal=journal,
        deadline=deadline,
        events=Events(objects),
    )


def _own_job(objects: Objects, namespace: str) -> JobRef | None:
    """The Job, where the manifest says it; a run without one (docker run) takes its place by the time of its Lease."""
    name, uid = os.environ.get("HANDOFF_JOB_NAME"), os.environ.get("HANDOFF_JOB_UID")
    return own_job(objects, namespace, name, uid) if name and uid else None


def _acquire(
    objects: Objects, lease: Lease, settings: Settings, generation: Generation | None, journal: Journal
) -> None:
    def on_wait(holder: str) -> None:
        logger().info("waiting for the Lease", holder=holder, lease=f"{settings.namespace}/{lease.name}")

    try:
        lease.acquire(settings.lock_timeout, on_wait)
    except ApiError as error:
        if error.cause is not Cause.NAMESPACE_MISSING:
            raise
        _create_namespace(objects, settings, generation, journal)
        lease.acquire(settings.lock_timeout, on_wait)


def _create_namespace(objects: Objects, settings: Settings, generation: Generation | None, journal: Journal) -> None:
    """The namespace of the sets comes first of all, where the input lists it."""
    wanted = Identity("", "Namespace", "", settings.namespace)
    for manifest in generation.manifests if generation else ():
        if manifest.identity == wanted:
            body = body_of(manifest.obj, settings.component, settings.namespace, manifest.obj)
            manager = field_manager(settings.namespace, settings.component)
            objects.apply(NAMESPACE, body, manager, metadata_only=True)
            journal.count("created", wanted)
            return
    if generation is None:
        raise NothingToRemove(f"Namespace {settings.namespace} does not exist, so nothing is recorded there")
    raise Refused(
        f"Namespace {settings.namespace}, where the sets of {settings.component} live, does not exist and is not among "
        "the input; create it, add it to the input, or choose another with --namespace"
    )
