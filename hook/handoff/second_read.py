"""The second of the two reads that a retirement rests on: of everything, and past all watches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.errors import Unreachable
from hook.generations.body import SECRET
from hook.generations.generation import Generation
from hook.handoff.observation import observe
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object

# From so many resources of a kind in a namespace on, one LIST is cheaper than reading each.
_LIST_FROM = 4


def read_whole(session: Session, wanted: Mapping[Identity, ResourceType]) -> dict[Identity, Object]:
    """The live objects; what is not in the result does not exist. Raises ApiError where that cannot be told."""
    places: dict[tuple[ResourceType, str], list[Identity]] = defaultdict(list)
    for identity, found in wanted.items():
        places[found, identity.namespace].append(identity)
    whole: dict[Identity, Object] = {}
    singles: list[tuple[ResourceType, Identity]] = []
    lists = []
    for (found, namespace), identities in places.items():
        if len(identities) < _LIST_FROM or found.of_kind == SECRET:
            singles += [(found, identity) for identity in identities]
        else:
            lists.append((found, namespace, identities))
    for read in session.parallel(lambda item: _list(session, *item), lists):
        whole.update(read)
    for identity, obj in session.parallel(lambda item: (item[1], _get(session, *item)), singles):
        if obj is not None:
            whole[identity] = obj
    return whole


def check_presence(session: Session, generation: Generation, watched: Mapping[Identity, ResourceType]) -> None:
    """Look at what is ready by existing. Raises Unreachable where it does not, or is another object by now."""
    rest = {
        m.identity: m.version
        for m in generation.manifests
        if m.identity not in watched and m.identity not in session.absent
    }
    live = observe(session, (), rest).live
    for identity in rest:
        found, fact = live.get(identity), session.facts.get(identity)
        if (
            found is None
            or found["metadata"].get("deletionTimestamp")
            or (fact is not None and found["metadata"]["uid"] != fact.uid)
        ):
            raise Unreachable(f"{identity} was deleted or replaced by somebody during the run; run again")


def _list(session: Session, found: ResourceType, namespace: str, identities: list[Identity]) -> dict[Identity, Object]:
    items = session.objects.list(found, namespace or None).items
    by_name = {item["metadata"]["name"]: item for item in items}
    return {identity: by_name[identity.name] for identity in identities if identity.name in by_name}


def _get(session: Session, found: ResourceType, identity: Identity) -> Object | None:
    try:
        return session.objects.get(found, identity.namespace, identity.name)
    except ApiError as error:
        if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            return None
        raise
