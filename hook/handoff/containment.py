"""What a Namespace or a CRD holds: before it is pruned, and while its deletion does not end."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.errors import Refused, Unreachable
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.pruning.contents import Contents, Item, crd_contents, made_by_kubernetes, namespace_contents
from hook.pruning.finalizers import explain
from hook.pruning.guards.containers import CONTAINERS
from hook.pruning.reading import Present

_NAMESPACE = Kind("", "Namespace")
_API_SERVICE = Kind("apiregistration.k8s.io", "APIService")
_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_DEPENDENTS = (Kind("batch", "Job"), Kind("apps", "ReplicaSet"), Kind("", "Pod"))
_FOREGROUND = "foregroundDeletion"
# Finalizers by which the garbage collector works: what they wait for is the dependents.
_OF_KUBERNETES = frozenset({_FOREGROUND, "orphan"})


def read_contents(
    session: Session, identities: Iterable[Identity], going: Collection[Identity], going_uids: Collection[str]
) -> dict[Identity, Contents]:
    """The contents of each Namespace and CRD among `identities`, in the form that the guards decide on."""
    found: dict[Identity, Contents] = {}
    for identity in identities:
        if identity.of_kind not in CONTAINERS:
            continue
        try:
            if identity.of_kind == _NAMESPACE:
                found[identity] = namespace_contents(_in_namespace(session, identity.name), going, going_uids)
            else:
                found[identity] = crd_contents(_of_definition(session, identity.name), going)
        except (ApiError, Refused, Unreachable) as error:
            found[identity] = Contents(unknown=error.message)
    return found


def hold_up(session: Session, identity: Identity, live: Present) -> tuple[str, ...]:
    """Who holds a deletion up, with what is still inside of a Namespace, CRD or workload, as lines for people.

    Nothing where only time holds it up: a grace period that has not ended.
    """
    whole: Object = {"metadata": live.metadata}
    held = bool(set(live.metadata.get("finalizers") or ()) - _OF_KUBERNETES)
    children: list[Item] = []
    services: dict[str, str] = {}
    try:
        if identity.of_kind == _NAMESPACE:
            held = True
            whole = session.objects.get(session.require_type(_NAMESPACE, "v1"), "", identity.name)
            services = _unavailable(session)
            inside = _in_namespace(session, identity.name)
            children = [item for item in inside if not made_by_kubernetes(item.identity)]
        elif identity.of_kind == _CRD:
            children = _of_definition(session, identity.name)
        elif _FOREGROUND in (live.metadata.get("finalizers") or ()):
            children = _held_dependents(session, identity, live.metadata["uid"])
    except (ApiError, Refused, Unreachable) as error:
        # What can be told is told; that the rest could not be read is part of it.
        return (*explain(identity, whole, api_services=services, now=datetime.now(UTC)), error.message)
    if not held and not children:
        return ()
    return explain(identity, whole, children=children, api_services=services, now=datetime.now(UTC))


def _held_dependents(session: Session, identity: Identity, uid: str) -> list[Item]:
    """What a workload owns, itself or through another of its dependents, and a finalizer keeps there."""
    types = [found for kind in _DEPENDENTS if (found := session.type_of(kind))]
    items = [item for found in types for item in _list(session, found, identity.namespace)]
    owned = {uid}
    dependents: list[Item] = []
    for _ in _DEPENDENTS:  # a Pod of a Job of a CronJob: no chain is longer than there are kinds
        dependents = [
            item
            for item in items
            if any(owner.get("uid") in owned for owner in item.metadata.get("ownerReferences") or ())
        ]
        owned |= {item.metadata["uid"] for item in dependents}
    return [item for item in dependents if set(item.metadata.get("finalizers") or ()) - _OF_KUBERNETES]


def _unavailable(session: Session) -> dict[str, str]:
    """APIServices that are not Available, with the reason."""
    found = {}
    for service in session.objects.list(session.require_type(_API_SERVICE, "v1")).items:
        for condition in (service.get("status") or {}).get("conditions") or ():
            if condition.get("type") == "Available" and condition.get("status") != "True":
                found[service["metadata"]["name"]] = str(condition.get("message") or condition.get("reason") or "")
    return found


def _in_namespace(session: Session, namespace: str) -> list[Item]:
    types = [t for t in session.discovery if t.namespaced and "list" in t.verbs]
    return [item for items in session.parallel(lambda t: _list(session, t, namespace), types) for item in items]


def _of_definition(session: Session, name: str) -> list[Item]:
    definition: Object = session.objects.get(session.require_type(_CRD, "v1"), "", name)
    spec = definition["spec"]
    kind = Kind(spec["group"], spec["names"]["kind"])
    items: dict[Identity, Item] = {}
    for version in spec.get("versions") or ():
        if version.get("served"):
            found = session.require_type(kind, version["name"])
            items.update((item.identity, item) for item in _list(session, found, None))
    return list(items.values())


def _list(session: Session, found: ResourceType, namespace: str | None) -> list[Item]:
    try:
        listing = session.objects.list(found, namespace, metadata_only=True)
    except ApiError as error:
        if error.cause is Cause.UNSUPPORTED:
            return []
        raise
    return [
        Item(
            Identity(found.group, found.kind, item["metadata"].get("namespace") or "", item["metadata"]["name"]),
            item["metadata"],
        )
        for item in listing.items
    ]
