"""`plan`: what a run on this input would do now; reads and dry runs only, without the Lease."""

from __future__ import annotations

from dataclasses import replace

from hook.cluster.connection import Connection
from hook.commands.inputs import Inputs, with_namespaces
from hook.handoff.forecast import forecast
from hook.handoff.opening import unlocked
from hook.handoff.session import WORKERS
from hook.report.journal import Journal
from hook.report.plan import Plan
from hook.tekton.detection import operator_for


def plan_command(inputs: Inputs, kubeconfig: str | None, context: str | None) -> Plan:
    """The plan; raises what a run would raise before its first write, such as Refused and RightsMissing."""
    connection = Connection.open(kubeconfig, context, workers=WORKERS)
    try:
        settled = replace(inputs, settings=with_namespaces(inputs.settings, connection.namespace))
        generation = settled.generation()
        journal = Journal(component=generation.component)
        for left in generation.left_out:
            journal.note("leftOut", left.identity, left.why)
        session = unlocked(connection, settled.settings, journal)
        session.operator = operator_for(session, looks_only=True)
        return forecast(session, generation)
    finally:
        connection.close()
