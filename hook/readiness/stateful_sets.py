"""StatefulSets."""

from __future__ import annotations

from hook.readiness.fields import count, mapping, text
from hook.readiness.state import Readiness, current, in_progress
from hook.readiness.subject import Subject


def stateful_set(subject: Subject) -> Readiness:
    """kstatus's counts, but with OnDelete the pods have to be ready too; stale ones are warned about.

    A partition limits how many pods have to be updated; without one the revisions are compared.
    """
    if waits := subject.unobserved(required=True):
        return waits
    spec, status = subject.spec, subject.status
    wanted = count(spec, "replicas", 1, "spec")
    replicas, ready, at_old, updated = (
        count(status, key, 0, "status") for key in ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas")
    )
    if replicas < wanted:
        return in_progress(f"{replicas} of {wanted} pods are there", f"{wanted} pods")
    if ready < wanted:
        return in_progress(f"{ready} of {wanted} pods are ready", f"{wanted} ready pods")
    if replicas > wanted:
        return in_progress(f"there are {replicas} pods, {wanted} are wanted", f"{replicas - wanted} pods to go")
    # Servers before 1.22 publish no availableReplicas; where none is asked for, ready is as good.
    default = 0 if count(spec, "minReadySeconds", 0, "spec") else wanted
    available = count(status, "availableReplicas", default, "status")
    if available < wanted:
        return in_progress(f"{available} of {wanted} pods are available", f"{wanted} available pods")

    strategy = mapping(spec, "updateStrategy", "spec")
    current_revision = text(status, "currentRevision", "status")
    update_revision = text(status, "updateRevision", "status")
    if text(strategy, "type", "spec.updateStrategy") == "OnDelete":
        stale = wanted - updated if current_revision != update_revision else 0
        warning = f"{stale} pods are still at the old revision: OnDelete replaces none by itself"
        return current(f"{wanted} of {wanted} pods ready", warning if stale > 0 else None)

    rolling = mapping(strategy, "rollingUpdate", "spec.updateStrategy")
    if rolling.get("partition") is not None:
        partition = count(rolling, "partition", 0, "spec.updateStrategy.rollingUpdate")
        due = max(wanted - partition, 0)
        if updated < due:
            return in_progress(f"{updated} of {due} pods are updated", f"{due} updated pods")
        return current(f"{wanted} of {wanted} pods ready, {due} had to be updated")
    if current_revision != update_revision:
        return in_progress(f"{updated} of {wanted} pods are updated", f"{wanted} updated pods")
    if at_old < wanted:
        return in_progress(f"{at_old} of {wanted} pods are at the current revision", f"{wanted} pods at it")
    return current(f"{wanted} of {wanted} pods updated and ready")
