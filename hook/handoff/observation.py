"""Observe: the component's sets, and the metadata of everything that they or the input list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.generations.body import SECRET
from hook.generations.installer_set import InstallerSet
from hook.generations.marks import owned_by
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object

# Below this many resources of one kind in one namespace each is read by name; from it on one LIST is cheaper.
_LIST_FROM = 4


@dataclass(slots=True)
class Observation:
    """`live` holds metadata objects of what exists. What is in neither `live` nor `unread` does not exist."""

    sets: tuple[InstallerSet, ...]
    live: dict[Identity, Object] = field(default_factory=dict)
    unread: dict[Identity, str] = field(default_factory=dict)  # identity → why it could not be read
    strays: list[Identity] = field(default_factory=list)  # seen on the way: our mark, and no set lists them

    def unrecorded(self, component: str, namespace: str) -> tuple[Identity, ...]:
        """What carries our mark though no set lists it. A set is written before anything is applied, so that it was
        deleted or edited by somebody, or a backup was restored without it."""
        listed = inventories(self.sets)
        return tuple(
            sorted(
                identity
                for identity, live in self.live.items()
                if identity not in listed and owned_by(live["metadata"], component, namespace)
            )
        )


def observe(session: Session, sets: tuple[InstallerSet, ...], wanted: Mapping[Identity, str]) -> Observation:
    """Read the live metadata of `wanted` (identity → version to prefer).

    A kind whose type is not served is left out of both results when nothing can exist of it, and is unread when its
    group is down. Secrets are only read by name. Raises ApiError for faults that outlast the retries.
    """
    observation = Observation(sets)
    grouped: dict[tuple[ResourceType, str], list[Identity]] = defaultdict(list)
    for identity, version in wanted.items():
        found = session.type_of(identity.of_kind, version)
        if found is not None:
            grouped[found, identity.namespace if found.namespaced else ""].append(identity)
        elif identity.group in session.discovery.stale_groups:
            observation.unread[identity] = f"API group {identity.group} is not available"
    singles: list[tuple[ResourceType, Identity]] = []
    lists: list[tuple[ResourceType, str, list[Identity]]] = []
    for (found, namespace), identities in grouped.items():
        if found.of_kind == SECRET or len(identities) < _LIST_FROM or "list" not in found.verbs:
            singles += [(found, identity) for identity in identities]
        else:
            lists.append((found, namespace, identities))
    for refused in session.parallel(lambda item: _list(session, observation, *item), lists):
        singles += refused
    session.parallel(lambda item: _get(session, observation, *item), singles)
    return observation


def reread(session: Session, observation: Observation, identity: Identity, version: str) -> Object | None:
    """Read one resource's metadata again, keep and return it; None when it does not exist."""
    found = session.require_type(identity.of_kind, version)
    observation.live.pop(identity, None)
    _get(session, observation, found, identity)
    return observation.live.get(identity)


def _get(session: Session, observation: Observation, found: ResourceType, identity: Identity) -> None:
    try:
        observation.live[identity] = session.objects.get(found, identity.namespace, identity.name, metadata_only=True)
    except ApiError as error:
        if error.cause not in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            raise


def _list(
    session: Session, observation: Observation, found: ResourceType, namespace: str, identities: list[Identity]
) -> list[tuple[ResourceType, Identity]]:
    """Read by one LIST; returns what has to be read by name because listing is forbidden."""
    try:
        listing = session.objects.list(found, namespace or None, metadata_only=True)
    except ApiError as error:
        if error.cause is Cause.FORBIDDEN:
            return [(found, identity) for identity in identities]
        raise
    by_name = {item["metadata"]["name"]: item for item in listing.items}
    for identity in identities:
        if identity.name in by_name:
            observation.live[identity] = by_name.pop(identity.name)
    listed = inventories(observation.sets)
    for name, item in by_name.items():
        metadata = item["metadata"]
        # Controllers copy labels to what they make, so a mark on those says nothing.
        if owned_by(metadata, session.component, session.namespace) and not metadata.get("ownerReferences"):
            stray = Identity(found.group, found.kind, metadata.get("namespace") or "", name)
            if stray not in listed:
                observation.strays.append(stray)
    return []


def inventories(sets: Iterable[InstallerSet]) -> dict[Identity, str]:
    """Everything that these sets list or retain: identity → version."""
    found: dict[Identity, str] = {}
    for one in sets:
        for entry in (*one.resources, *one.retained):
            found.setdefault(entry.identity, entry.version)
    return found
