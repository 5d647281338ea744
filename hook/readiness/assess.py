"""The way in: one object, one verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from hook.manifests.identity import Kind, Object
from hook.readiness import kinds
from hook.readiness.apis import api_service, definition
from hook.readiness.conditions import one_line
from hook.readiness.daemon_sets import daemon_set
from hook.readiness.deployments import deployment, paused, replica_set
from hook.readiness.disruption import disruption_budget
from hook.readiness.fields import OddField, count, mapping
from hook.readiness.generic import agreed_conditions, generic
from hook.readiness.jobs import job
from hook.readiness.namespaces import namespace
from hook.readiness.networking import ingress, service
from hook.readiness.pods import pod
from hook.readiness.related import Related
from hook.readiness.rules import Rules
from hook.readiness.state import Readiness, State, current, in_progress
from hook.readiness.stateful_sets import stateful_set
from hook.readiness.storage import claim
from hook.readiness.subject import Subject
from hook.readiness.webhooks import webhook_configuration

needs_status = kinds.needs_status

_DEPLOYMENT: Final = Kind("apps", "Deployment")
_RULES: Final[Mapping[Kind, Callable[[Subject], Readiness]]] = {
    Kind("", "Namespace"): namespace,
    Kind("", "PersistentVolumeClaim"): claim,
    Kind("", "Pod"): pod,
    Kind("", "ReplicationController"): replica_set,
    Kind("", "Service"): service,
    Kind("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): webhook_configuration,
    Kind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): webhook_configuration,
    Kind("apiextensions.k8s.io", "CustomResourceDefinition"): definition,
    Kind("apiregistration.k8s.io", "APIService"): api_service,
    Kind("apps", "DaemonSet"): daemon_set,
    _DEPLOYMENT: deployment,
    Kind("apps", "ReplicaSet"): replica_set,
    Kind("apps", "StatefulSet"): stateful_set,
    Kind("batch", "Job"): job,
    Kind("networking.k8s.io", "Ingress"): ingress,
    Kind("policy", "PodDisruptionBudget"): disruption_budget,
}


def assess(obj: Any, related: Related, *, manifest: Object | None = None, rules: Rules | None = None) -> Readiness:
    """Whether an object, as the API server or kubectl gives it, is ready.

    `related` answers what only other objects can tell. `manifest` is what was applied as this object, where that is
    known: its annotations count then, and what it suspends itself. `rules` are the user's own.
    The base are the rules of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus); each rule says where it is stricter.

    Never raises, whatever `obj` is: what is no object is Unknown, an odd field makes it InProgress.
    """
    if unreadable := _unreadable(obj):
        return Readiness(State.UNKNOWN, unreadable)
    subject = Subject(obj, related, manifest)
    if obj["metadata"].get("deletionTimestamp"):
        return Readiness(State.TERMINATING, "it is being deleted", "its deletion")
    try:
        verdict = _judge(subject, rules or Rules())
    except OddField as odd:
        verdict = in_progress(f"it is odd: {odd}", "a status that can be read")
    # What the object says of itself stands in the reason, and an object can say anything.
    return replace(verdict, reason=one_line(verdict.reason))


def min_ready_seconds(obj: Mapping[str, Any]) -> int:
    """spec.minReadySeconds; 0 where there is none, or an odd one."""
    try:
        return count(mapping(obj, "spec"), "minReadySeconds", 0)
    except OddField:
        return 0


def _judge(subject: Subject, rules: Rules) -> Readiness:
    own = rules.rule_for(subject.manifest or subject.obj, subject.kind)
    if own is None and subject.kind in kinds.READY_BY_EXISTING:
        return current("it exists")
    if own is None and subject.kind == _DEPLOYMENT and (blocked := paused(subject)):
        return blocked
    if waits := subject.unobserved(required=False):
        return waits
    if own is not None:
        return own.evaluate(subject.obj)
    return agreed_conditions(subject) or _RULES.get(subject.kind, generic)(subject)


def _unreadable(obj: Any) -> str | None:
    if not isinstance(obj, Mapping):
        return "it is no object"
    for key in ("apiVersion", "kind"):
        if not isinstance(obj.get(key), str) or not obj[key]:
            return f"it is no object of Kubernetes: it has no {key}"
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping):
        return "it is no object of Kubernetes: it has no metadata"
    if not isinstance(metadata.get("name"), str) or not metadata["name"]:
        return "it is no object of Kubernetes: it has no metadata.name"
    return None
