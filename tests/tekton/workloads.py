"""Deployments and StatefulSets: replaced at every pass, in all but who owns them.

operator: install.go:ensureResource
"""

from __future__ import annotations

import copy
from typing import Any

from tests.tekton.installation import ReconcileAgain
from tests.tekton.live import ApiError, Live

Object = dict[str, Any]


def ensure_workload(live: Live, manifest: Object) -> None:
    """Raises ReconcileAgain and ApiError."""
    expected = _scaled(live, manifest)
    found = live.get(expected)
    if found is None:
        live.create(expected)
        return
    if "deletionTimestamp" in found["metadata"]:
        # Whoever owns it, other than with all other kinds.
        raise ReconcileAgain(f"{found['kind']} {found['metadata']['name']} is being deleted")
    if _equal(expected, found):
        return
    if expected["kind"] == "Deployment" and expected["spec"].get("selector") != found["spec"].get("selector"):
        # Immutable: the Deployment goes, and comes back with the next pass.
        live.delete(found)
        raise ReconcileAgain(f"Deployment {found['metadata']['name']} has another selector")
    changed = copy.deepcopy(found)
    for field in ("annotations", "labels"):
        # Added to, never taken from.
        both = {**(found["metadata"].get(field) or {}), **(expected["metadata"].get(field) or {})}
        changed["metadata"][field] = both
    # The spec is the manifest's, whole. The owners stay who they are: a set never takes a workload over.
    changed["spec"] = expected["spec"]
    try:
        live.update(changed)
    except ApiError as error:
        # So what the server refuses for good, such as a StatefulSet's claims, is tried every ten seconds for ever.
        raise ReconcileAgain(str(error)) from error


def _equal(expected: Object, found: Object) -> bool:
    """Hardly ever: the live spec has the server's defaults, the manifest's has not. An idle PUT follows then."""
    for field in ("annotations", "labels"):
        wanted, there = expected["metadata"].get(field) or {}, found["metadata"].get(field) or {}
        # The operator looks whether the keys are there and takes the values for granted.
        if wanted.keys() - there.keys():
            return False
    return bool(expected.get("spec") == found.get("spec"))


def _scaled(live: Live, manifest: Object) -> Object:
    """Where an autoscaler is set on the workload, its replicas are the autoscaler's."""
    metadata = manifest["metadata"]
    for autoscaler in live.autoscalers(metadata.get("namespace", "default")):
        target = autoscaler["spec"]["scaleTargetRef"]
        if (target["kind"], target["name"]) == (manifest["kind"], metadata["name"]):
            scaled = copy.deepcopy(manifest)
            scaled["spec"]["replicas"] = _replicas(autoscaler, manifest["spec"].get("replicas", 1))
            return scaled
    return manifest


def _replicas(autoscaler: Object, manifest_replicas: int) -> int:
    spec, status = autoscaler["spec"], autoscaler.get("status") or {}
    least = int(spec.get("minReplicas") or 1)
    active = [c for c in status.get("conditions") or [] if c["type"] == "ScalingActive" and c["status"] != "False"]
    if active:
        return max(least, int(status.get("desiredReplicas") or 0))
    return max(least, min(manifest_replicas, int(spec["maxReplicas"])))
