"""DaemonSets."""

from __future__ import annotations

from hook.readiness.fields import count, mapping, text
from hook.readiness.state import Readiness, current, in_progress
from hook.readiness.subject import Subject


def daemon_set(subject: Subject) -> Readiness:
    """kstatus's counts; with OnDelete stale pods are warned about, and so is a DaemonSet that matches no node."""
    if waits := subject.unobserved(required=True):
        return waits
    status = subject.status
    if status.get("desiredNumberScheduled") is None:
        return in_progress("its controller has counted no nodes yet", "status.desiredNumberScheduled")
    wanted, scheduled, updated, available, ready = (
        count(status, key, 0, "status")
        for key in (
            "desiredNumberScheduled",
            "currentNumberScheduled",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberReady",
        )
    )
    strategy = mapping(subject.spec, "updateStrategy", "spec")
    on_delete = text(strategy, "type", "spec.updateStrategy") == "OnDelete"
    if wanted == 0:
        return current("no node is to run a pod of it", "it matches no node")
    if scheduled < wanted:
        return in_progress(f"{scheduled} of {wanted} pods are there", f"{wanted} pods")
    if updated < wanted and not on_delete:
        return in_progress(f"{updated} of {wanted} pods are updated", f"{wanted} updated pods")
    if ready < wanted:
        return in_progress(f"{ready} of {wanted} pods are ready", f"{wanted} ready pods")
    if available < wanted:
        return in_progress(f"{available} of {wanted} pods are available", f"{wanted} available pods")
    if updated < wanted:
        return current(
            f"{wanted} of {wanted} pods ready",
            f"{wanted - updated} pods are still at the old revision: OnDelete replaces none by itself",
        )
    return current(f"{wanted} of {wanted} pods updated and available")
