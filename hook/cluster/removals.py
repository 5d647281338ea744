"""That a component was removed, and when: an Event, for an hour (the API server's time to live of Events).

With the Lease and the sets goes the high-water mark that stood on them. A pod that was held up since before the
removal, and whose Job still exists, would install everything again: it finds the mark here.
"""

from __future__ import annotations

import os
import socket
import uuid
from datetime import UTC, datetime

from hook.cluster.answers import ApiError
from hook.cluster.high_water import Mark, higher
from hook.cluster.objects import Objects
from hook.cluster.resource_type import EVENT, LEASE
from hook.manifests.identity import Object

CONTROLLER = "installersets.io/handoff"
_REASON = "Removed"


def announce(objects: Objects, lease: Object, component: str, mark: Mark) -> None:
    """Creates the Event, about the component's Lease. Raises ApiError."""
    place = {key: lease["metadata"][key] for key in ("namespace", "name", "uid")}
    objects.create(
        EVENT,
        {
            "apiVersion": EVENT.api_version,
            "kind": EVENT.kind,
            "metadata": {
                "namespace": place["namespace"],
                "name": f"{place['name']}.{uuid.uuid4().hex[:16]}",
                "annotations": mark.annotations(),
            },
            "eventTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "type": "Normal",
            "reason": _REASON,
            "action": "Handoff",
            "note": f"{component} was removed by {mark}",
            "reportingController": CONTROLLER,
            "reportingInstance": (os.environ.get("HANDOFF_POD_NAME") or socket.gethostname())[:128],
            "regarding": {"apiVersion": LEASE.api_version, "kind": LEASE.kind, **place},
        },
    )


def last_removal(objects: Objects, namespace: str, lease: str) -> Mark | None:
    """The highest mark of a removal that is still remembered; None where there is none, or it may not be read."""
    try:
        events = objects.list(
            EVENT, namespace, metadata_only=True, field_selector=f"reason={_REASON},regarding.name={lease}"
        )
    except ApiError:
        return None
    highest: Mark | None = None
    for event in events.items:
        highest = higher(highest, Mark.of(event["metadata"]))
    return highest
