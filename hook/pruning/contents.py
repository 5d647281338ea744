"""What stands in a Namespace, or is left of a CRD's kind, when that is to be pruned.

Deleting a container deletes what is in it, without a further look at owners. So it goes only when nothing is in it but
what goes in this prune anyway, the children of that, and what Kubernetes itself puts into every namespace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hook.manifests.identity import Identity, Kind

_BY_NAME = {
    Identity("", "ConfigMap", "", "kube-root-ca.crt"),
    Identity("", "ServiceAccount", "", "default"),
}
_BY_KIND = {
    Kind("", "Event"),
    Kind("events.k8s.io", "Event"),
    Kind("", "Endpoints"),
    Kind("discovery.k8s.io", "EndpointSlice"),
    Kind("metrics.k8s.io", "PodMetrics"),  # a view of the pods, that lags behind them
}


@dataclass(frozen=True, slots=True)
class Item:
    """One object that a LIST inside of the container showed."""

    identity: Identity
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Contents:
    """`blocking` keeps the container; `going` has to be gone before it; `unknown` says what could not be read."""

    blocking: tuple[Identity, ...] = ()
    going: tuple[Identity, ...] = ()
    unknown: str = ""


def namespace_contents(
    items: Iterable[Item], going: Collection[Identity] = (), going_uids: Collection[str] = ()
) -> Contents:
    """Sort what all LISTs in a namespace showed.

    `going`: what this prune deletes or waits for; `going_uids`: uids of what it deleted already, whose
    children the garbage collector has yet to take. One of our own that is kept (a PVC, a keep mark) is not among
    them, and blocks like anybody's. Where one of the LISTs failed, build `Contents(unknown=...)` instead.
    """
    return _sorted_out([item for item in items if not made_by_kubernetes(item.identity)], going, going_uids)


def crd_contents(items: Iterable[Item], going: Collection[Identity] = ()) -> Contents:
    """Sort the custom resources of a CRD, as LISTs of all its served versions showed them."""
    return _sorted_out(list(items), going, ())


def made_by_kubernetes(identity: Identity) -> bool:
    """True for what controllers of Kubernetes put into a namespace by themselves, and would put there again."""
    named = Identity(identity.group, identity.kind, "", identity.name)
    return named in _BY_NAME or identity.of_kind in _BY_KIND


def _sorted_out(items: list[Item], going: Collection[Identity], going_uids: Collection[str]) -> Contents:
    gone_with = set(going_uids)
    leaving: set[Identity] = set()
    size = -1
    while size != len(leaving):  # children of children: a pod of a ReplicaSet of a Deployment
        size = len(leaving)
        for item in items:
            uid = item.metadata.get("uid")
            # The same uid again is the same object, served by two API groups.
            if item.identity in going or {uid, _controller(item.metadata)} & gone_with:
                leaving.add(item.identity)
                gone_with |= {uid} if isinstance(uid, str) and uid else set()
    found = {item.identity for item in items}
    return Contents(tuple(sorted(found - leaving)), tuple(sorted(leaving)))


def _controller(metadata: Mapping[str, Any]) -> str | None:
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            uid = owner.get("uid")
            return uid if isinstance(uid, str) and uid else None
    return None
