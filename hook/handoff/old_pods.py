"""Old pods: the last of the old generation, which end some time after their workload counts them no more."""

from __future__ import annotations

from hook.generations.generation import Generation
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind

_POD = Kind("", "Pod")
_WORKLOADS = frozenset(Kind("apps", name) for name in ("Deployment", "StatefulSet", "DaemonSet"))
_POLL = 0.5  # seconds
_SHOWN = 5


def await_old_pods(session: Session, generation: Generation) -> None:
    """Wait until no pod that a desired workload selects is terminating.

    A workload that is Ready has no pod of an older revision left but those: ReplicaSets, StatefulSets and
    DaemonSets do not count terminating pods. What OnDelete or a partition leaves running is not waited for.
    """
    selectors = [
        (m.identity, selector)
        for m in generation.manifests
        if m.identity.of_kind in _WORKLOADS and (selector := _selector(m.obj.get("spec") or {}))
    ]
    while True:
        found = session.parallel(lambda item: _terminating(session, *item), selectors)
        names = [name for some in found for name in some]
        if not names:
            return
        shown = ", ".join(names[:_SHOWN])
        session.deadline.check(f"waiting until the old pods are gone: {shown}")
        session.deadline.pause(_POLL)


def _terminating(session: Session, identity: Identity, selector: str) -> list[str]:
    found = session.require_type(_POD, "v1")
    listing = session.objects.list(found, identity.namespace, metadata_only=True, label_selector=selector)
    return [
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        for pod in listing.items
        if pod["metadata"].get("deletionTimestamp")
    ]


def _selector(spec: dict[str, object]) -> str:
    """The label selector of a workload in the form of a query; see LabelSelector of meta/v1."""
    selector = spec.get("selector")
    if not isinstance(selector, dict):
        return ""
    terms = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for expression in selector.get("matchExpressions") or ():
        key, values = expression["key"], ",".join(expression.get("values") or ())
        terms.append(
            {
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
                "Exists": key,
                "DoesNotExist": f"!{key}",
            }[expression["operator"]]
        )
    return ",".join(terms)
