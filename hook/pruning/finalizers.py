"""Who holds a deletion up, since when, and what to do. Finalizers of others are named, never removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hook.manifests.identity import Identity, Kind, Object
from hook.pruning.contents import Item

# Finalizers of Kubernetes itself, and what they wait for.
_KNOWN = {
    "batch.kubernetes.io/job-tracking": "its Job must count it first",
    "customresourcecleanup.apiextensions.k8s.io": "its custom resources must be gone first",
    "foregroundDeletion": "its dependents must be gone first",
    "kubernetes": "everything in it must be gone first",
    "kubernetes.io/pv-protection": "a PersistentVolumeClaim is still bound to it",
    "kubernetes.io/pvc-protection": "a pod still mounts it",
    "orphan": "the garbage collector must release its dependents",
    "service.kubernetes.io/load-balancer-cleanup": "the cloud's controller must take down its load balancer",
}
# Conditions by which the namespace controller says what it cannot get past.
_STUCK = {
    "NamespaceContentRemaining",
    "NamespaceDeletionContentFailure",
    "NamespaceDeletionDiscoveryFailure",
    "NamespaceDeletionGroupVersionParsingFailure",
    "NamespaceFinalizersRemaining",
}
_SHOWN = 5


def explain(
    identity: Identity,
    live: Mapping[str, Any],
    *,
    children: Iterable[Item] = (),
    api_services: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> tuple[str, ...]:
    """Lines for people about an object whose deletion does not end; the first names it, its age and the holder.

    `live`: the object, or its metadata alone under the key "metadata"; of a Namespace the whole object, since its
    status tells what cannot be deleted. `children`: what is still in the Namespace, or left of the CRD's kind.
    `api_services`: names of APIServices that are not Available, with the reason. `now`: for the age, timezone-aware.
    """
    metadata = live.get("metadata") or {}
    finalizers = _finalizers(identity, live)
    lines = [f"{identity}: being deleted{_age(metadata, now)}, {_held_by(finalizers)}"]
    lines += [f"in it: {each}" for each in _held_children(children)]
    stuck = _stuck(live)
    lines += [f"{condition['type']}: {condition.get('message', '')}" for condition in stuck]
    if any(condition["type"] == "NamespaceDeletionDiscoveryFailure" for condition in stuck):
        lines += [
            f"APIService {name} is not available ({why}): make it available, "
            "or delete it if its server is gone for good"
            for name, why in sorted((api_services or {}).items())
        ]
    lines.append(_way_out(finalizers))
    return tuple(lines)


def _finalizers(identity: Identity, live: Mapping[str, Any]) -> list[str]:
    found = list((live.get("metadata") or {}).get("finalizers") or ())
    if identity.of_kind == Kind("", "Namespace"):
        found += (live.get("spec") or {}).get("finalizers") or ()
    return [str(each) for each in found]


def _held_by(finalizers: Sequence[str]) -> str:
    if not finalizers:
        return "without a finalizer: it ends its grace period"
    named = (f"{each} ({_KNOWN[each]})" if each in _KNOWN else each for each in finalizers)
    return f"held by the finalizer{'s' if len(finalizers) > 1 else ''} {', '.join(named)}"


def _held_children(children: Iterable[Item]) -> list[str]:
    """Those with finalizers first: they hold, the others are merely left."""
    items = sorted(children, key=lambda item: (not item.metadata.get("finalizers"), item.identity))
    lines = []
    for item in items[:_SHOWN]:
        finalizers = [str(each) for each in item.metadata.get("finalizers") or ()]
        lines.append(f"{item.identity}, {_held_by(finalizers)}" if finalizers else str(item.identity))
    if len(items) > _SHOWN:
        lines.append(f"{len(items) - _SHOWN} more")
    return lines


def _stuck(live: Mapping[str, Any]) -> list[Object]:
    conditions = (live.get("status") or {}).get("conditions") or ()
    return [
        each
        for each in conditions
        if isinstance(each, dict) and each.get("type") in _STUCK and each.get("status") == "True"
    ]


def _age(metadata: Mapping[str, Any], now: datetime | None) -> str:
    since = metadata.get("deletionTimestamp")
    if not isinstance(since, str):
        return ""
    if now is None:
        return f" since {since}"
    try:
        begun = datetime.fromisoformat(since)
    except ValueError:
        return f" since {since}"
    seconds = int((now - begun.replace(tzinfo=begun.tzinfo or UTC)).total_seconds())
    return f" for {max(seconds, 0)} s"


def _way_out(finalizers: Sequence[str]) -> str:
    if any(each not in _KNOWN for each in finalizers):
        return (
            "the controller that set this finalizer must run to remove it; remove it by hand only if that "
            "controller is gone for good and what it would clean up does not matter. The next run goes on from here"
        )
    return "the next run goes on from here"
