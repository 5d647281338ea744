"""The Lease as JSON: what one says, and what is written on it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hook.cluster.high_water import Mark
from hook.cluster.resource_type import LEASE
from hook.manifests.identity import Object


def holder(live: Object) -> str:
    """Who holds it, "" for nobody."""
    return live["spec"].get("holderIdentity") or ""


def duration(live: Object, default: int) -> float:
    """Seconds without a change after which it counts as abandoned; `default` where it names no sane number."""
    seconds = live["spec"].get("leaseDurationSeconds")
    return float(seconds) if isinstance(seconds, int) and seconds > 0 else float(default)


def held_body(live: Object | None, place: tuple[str, str, str], identity: str, seconds: int, mark: Mark) -> Object:
    """The Lease held by `identity`, upon the one that was read (None: new).

    `place` is (namespace, name, component). uid and resourceVersion of what was read go along, so that the write fails
    if anybody wrote meanwhile, and never creates anew what was deleted. A mark without a time is not written yet.
    """
    namespace, name, component = place
    now = micro_time()
    metadata: dict[str, Any] = {"namespace": namespace, "name": name}
    spec: dict[str, Any] = {}
    annotations: dict[str, str] = {}
    if live is not None:
        metadata |= {key: live["metadata"][key] for key in ("uid", "resourceVersion")}
        annotations |= live["metadata"].get("annotations") or {}
        spec = live["spec"]
    if mark.created:
        annotations |= mark.annotations()
    metadata["annotations"] = annotations
    metadata["labels"] = {"installersets.io/component": component}
    renewed = live is not None and holder(live) == identity
    return {
        "apiVersion": LEASE.api_version,
        "kind": LEASE.kind,
        "metadata": metadata,
        "spec": {
            "holderIdentity": identity,
            "leaseDurationSeconds": seconds,
            "acquireTime": (spec.get("acquireTime") or now) if renewed else now,
            "renewTime": now,
            "leaseTransitions": (spec.get("leaseTransitions") or 0) + (live is not None and not renewed),
        },
    }


def released_body(live: Object) -> Object:
    """The Lease held by nobody; the mark stays."""
    metadata = live["metadata"]
    kept = {
        key: metadata[key]
        for key in ("namespace", "name", "uid", "resourceVersion", "labels", "annotations")
        if key in metadata
    }
    spec = {**live["spec"], "holderIdentity": "", "renewTime": micro_time()}
    return {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": kept, "spec": spec}


def written_at(live: Object) -> str:
    """The server's time of the last write, from managedFields; the creation time where those are missing."""
    times = [entry["time"] for entry in live["metadata"].get("managedFields") or () if entry.get("time")]
    return str(max(times, default=live["metadata"]["creationTimestamp"]))


def micro_time() -> str:
    """Now, as a MicroTime; shown to people and read by nobody else."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
