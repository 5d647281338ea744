"""A connection that the end of the process is told to."""

from __future__ import annotations

from hook.cluster.connection import Connection
from hook.commands.signals import on_stop
from hook.handoff.session import WORKERS


def connect(kubeconfig: str | None, context: str | None) -> Connection:
    """A connection that SIGTERM and SIGINT stop: no request starts any more but the last words."""
    connection = Connection.open(kubeconfig, context, workers=WORKERS)
    on_stop(connection.end)
    return connection
