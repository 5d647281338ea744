"""`run`, `pre-sync`, `post-sync` and `remove`: one run under the Lease, and its outcome."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from hook.cluster.connection import Connection
from hook.cluster.discovery import Discovery
from hook.cluster.high_water import Superseded
from hook.cluster.objects import Objects
from hook.commands.connections import connect
from hook.commands.inputs import Inputs, check_component_given, with_namespaces
from hook.errors import HandoffError, Terminated
from hook.generations.generation import Generation
from hook.handoff.opening import NothingToRemove, opened
from hook.handoff.sequence import Handoff, remove
from hook.handoff.session import Session
from hook.records.definition import Definition
from hook.records.native import NativeRecords
from hook.report.journal import Journal
from hook.report.log import logger
from hook.report.result import RESULTS
from hook.settings import Settings, settle
from hook.tekton.detection import operator_for

Steps = Callable[[Session], None]


def run_handoff(command: str, inputs: Inputs, kubeconfig: str | None, context: str | None) -> Journal:
    """Run one of the three commands that bring a generation; never raises a HandoffError."""
    journal = Journal()

    def work() -> None:
        connection = connect(kubeconfig, context)
        settled = replace(inputs, settings=with_namespaces(inputs.settings, connection.namespace))
        generation = settled.generation()
        journal.component, journal.version = generation.component, generation.version
        journal.generation = generation.short
        for left in generation.left_out:
            journal.note("leftOut", left.identity, left.why)
        _under_lease(
            connection, settled.settings, journal, generation, lambda s: _steps(command, s, settled, generation)
        )

    return _outcome(journal, work)


def run_removal(flags: Mapping[str, Any], kubeconfig: str | None, context: str | None) -> Journal:
    """Run `remove`; never raises a HandoffError."""
    journal = Journal()

    def work() -> None:
        settings = settle(None, "", os.environ, flags)
        check_component_given(settings)
        journal.component = settings.component
        connection = connect(kubeconfig, context)
        _under_lease(connection, with_namespaces(settings, connection.namespace), journal, None, _remove)

    return _outcome(journal, work)


def _steps(command: str, session: Session, inputs: Inputs, generation: Generation) -> None:
    session.operator = operator_for(session)
    handoff = Handoff(session, generation, inputs.rules)
    {"run": handoff.run, "pre-sync": handoff.pre_sync, "post-sync": handoff.post_sync}[command]()


def _remove(session: Session) -> None:
    session.operator = operator_for(session)
    remove(session)


def _under_lease(
    connection: Connection, settings: Settings, journal: Journal, generation: Generation | None, steps: Steps
) -> None:
    try:
        with opened(connection, settings, journal, generation) as (session, lease):
            steps(session)
            if generation is None:
                lease.delete()
    except Superseded as superseded:
        if not _healthy(connection, settings, superseded):
            raise
        journal.result, journal.message = "superseded", superseded.message
    finally:
        journal.requests = {**connection.requests, **{f"retried: {k}": v for k, v in connection.retries.items()}}
        connection.close()


def _healthy(connection: Connection, settings: Settings, superseded: Superseded) -> bool:
    """Whether the generation that the newer run brought is Ready, as its sets say."""
    connection.fence = None  # all that follows is reading, and the Lease is not ours
    objects = Objects(connection)
    discovery = Discovery.read(connection)
    definition = Definition(objects, discovery, lambda: Discovery.read(connection), connection.pause)
    records = NativeRecords(objects, definition, settings.namespace, settings.component)
    living = [one for one in records.read() if not one.retiring and one.short == superseded.mark.generation]
    return bool(living) and all(one.is_ready for one in living)


def _outcome(journal: Journal, work: Callable[[], None]) -> Journal:
    try:
        work()
    except NothingToRemove as nothing:
        journal.message = nothing.message
    except Terminated as error:
        journal.exit_code, journal.message = error.exit_code, error.message
    except HandoffError as error:
        journal.exit_code, journal.message = error.exit_code, str(error)
        logger().error("failed", exit_code=error.exit_code, error=str(error))
    except Exception as error:  # a fault of ours: say where, and end as what a retry may help with
        journal.exit_code, journal.message = 1, f"internal error: {type(error).__name__}: {error}"
        logger().error("internal error", where=traceback.format_exc())
    journal.result = journal.result or RESULTS.get(journal.exit_code, "failed")
    return journal
