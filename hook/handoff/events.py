"""Events on the sets: what `kubectl describe` and dashboards show of a run, long after its pod is gone."""

from __future__ import annotations

import os
import socket
import uuid
from datetime import UTC, datetime

from hook.cluster.answers import ApiError
from hook.cluster.objects import Objects
from hook.cluster.removals import CONTROLLER
from hook.cluster.resource_type import EVENT
from hook.generations.installer_set import API_VERSION, KIND, InstallerSet
from hook.report.log import logger

_NOTE = 1024  # characters, the API's limit
NORMAL, WARNING = "Normal", "Warning"


class Events:
    """Writes Events; one that cannot be written is logged and changes nothing about the run."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._instance = os.environ.get("HANDOFF_POD_NAME") or socket.gethostname()
        self._refused = False

    def tell(self, about: InstallerSet, kind: str, reason: str, note: str) -> None:
        """`kind` is NORMAL or WARNING; `reason` one word in upper camel case; `note` is for people."""
        if self._refused:
            return
        event = {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.kind,
            "metadata": {"name": f"{about.name}.{uuid.uuid4().hex[:16]}", "namespace": about.namespace},
            "eventTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "type": kind,
            "reason": reason,
            "action": "Handoff",
            "note": note[:_NOTE],
            "reportingController": CONTROLLER,
            "reportingInstance": self._instance[:128],
            "regarding": {
                "apiVersion": API_VERSION,
                "kind": KIND,
                "namespace": about.namespace,
                "name": about.name,
                "uid": about.uid,
            },
        }
        try:
            self._objects.create(EVENT, event)
        except ApiError as error:
            self._refused = True
            logger().warning("no Events are written", why=error.message)
