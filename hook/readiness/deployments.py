"""Deployments and ReplicaSets."""

from __future__ import annotations

from typing import Final

from hook.readiness.conditions import older_than_last_write
from hook.readiness.fields import count, flag
from hook.readiness.state import Readiness, State, current, failed, in_progress
from hook.readiness.subject import Subject

_NO_DEADLINE: Final = 2**31 - 1


def paused(subject: Subject) -> Readiness | None:
    """Blocked, whatever its status says: a paused Deployment will never get on by itself."""
    if not flag(subject.spec, "paused", "spec"):
        return None
    return Readiness(
        State.BLOCKED,
        "it is paused, its rollout will not go on: take spec.paused out of the manifest (or `kubectl rollout resume`)",
    )


def deployment(subject: Subject) -> Readiness:
    """kstatus's counts and conditions; zero wanted and none there is ready."""
    spec, status = subject.spec, subject.status
    if waits := subject.unobserved(required=True):
        return waits
    wanted = count(spec, "replicas", 1, "spec")
    replicas, updated, ready, available = (
        count(status, key, 0, "status") for key in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    )
    if wanted == 0 and replicas == 0:
        return current("it is scaled to zero")

    conditions = subject.conditions
    progressing = conditions.find("Progressing")
    only_old_pods_left = replicas > updated >= wanted and min(available, ready) >= wanted
    if (
        progressing is not None
        and progressing.status == "False"
        and progressing.reason == "ProgressDeadlineExceeded"
        and not only_old_pods_left
        and not older_than_last_write(progressing, subject.obj)
    ):
        return failed(f"its rollout made no progress in time: {progressing.message or progressing.reason}")

    failure = _replica_failure(subject)
    if replicas < wanted:
        return in_progress(failure or f"{replicas} of {wanted} pods are there", f"{wanted} pods")
    if updated < wanted:
        return in_progress(failure or f"{updated} of {wanted} pods are updated", f"{wanted} updated pods")
    if replicas > updated:
        return in_progress(f"{replicas - updated} old pods are not gone yet", "the old pods to go")
    if ready < wanted:
        return in_progress(failure or f"{ready} of {wanted} pods are ready", f"{wanted} ready pods")
    if available < updated:
        return in_progress(f"{available} of {updated} pods are available", f"{updated} available pods")
    if count(spec, "progressDeadlineSeconds", _NO_DEADLINE, "spec") != _NO_DEADLINE and not (
        progressing is not None and progressing.status == "True" and progressing.reason == "NewReplicaSetAvailable"
    ):
        found = str(progressing) if progressing else "there is no condition Progressing"
        return in_progress(found, "condition Progressing with reason NewReplicaSetAvailable")
    if not conditions.is_true("Available"):
        found = str(conditions.find("Available") or "there is no condition Available")
        return in_progress(found, "condition Available")
    return current(f"{wanted} of {wanted} pods updated and available")


def replica_set(subject: Subject) -> Readiness:
    """ReplicaSets and ReplicationControllers: all pods labelled, ready and available, none too many."""
    if waits := subject.unobserved(required=True):
        return waits
    status = subject.status
    wanted = count(subject.spec, "replicas", 1, "spec")
    replicas, labelled, ready, available = (
        count(status, key, 0, "status")
        for key in ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    )
    if failure := _replica_failure(subject):
        return in_progress(failure, "pods that can be created")
    for number, what in ((labelled, "labelled"), (ready, "ready"), (available, "available")):
        if number < wanted:
            return in_progress(f"{number} of {wanted} pods are {what}", f"{wanted} {what} pods")
    if replicas > wanted:
        return in_progress(f"there are {replicas} pods, {wanted} are wanted", f"{replicas - wanted} pods to go")
    return current(f"{wanted} of {wanted} pods available")


def _replica_failure(subject: Subject) -> str | None:
    """Why pods cannot be created (quota, admission); never terminal: the cause can be lifted."""
    failure = subject.conditions.first_true("ReplicaFailure")
    if failure is None:
        return None
    return f"pods cannot be created: {failure.message or failure.reason or 'ReplicaFailure'}"
