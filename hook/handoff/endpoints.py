"""Whether a Service has something behind it that answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from hook.cluster.resource_type import ResourceType
from hook.errors import Unreachable
from hook.handoff.session import Session
from hook.handoff.watches import Scope, Watches
from hook.manifests.identity import Identity, Kind, Object
from hook.manifests.references import called_services
from hook.readiness.annotations import ENDPOINTS, wait_for
from hook.readiness.endpoints import ready_in_slice
from hook.readiness.fields import OddField

_SLICE = Kind("discovery.k8s.io", "EndpointSlice")
_SERVICE = Kind("", "Service")
_SERVICE_NAME = "kubernetes.io/service-name"


def ready_endpoints(session: Session, namespace: str, service: str) -> int:
    """How many ready endpoints the EndpointSlices of a Service hold."""
    listing = session.objects.list(_slices(session), namespace, label_selector=f"{_SERVICE_NAME}={service}")
    return sum(ready_in_slice(piece) for piece in listing.items)


def deciding_services(manifests: Mapping[Identity, Object]) -> Iterator[tuple[str, str]]:
    """(namespace, name) of the Services whose endpoints decide whether one of these is ready."""
    for identity, manifest in manifests.items():
        yield from called_services(manifest)
        if identity.of_kind == _SERVICE and _asks_for_endpoints(manifest):
            yield identity.namespace, identity.name


class EndpointsFollowed:
    """The endpoints of some Services (namespace, name), by one watch a namespace."""

    def __init__(self, session: Session, watches: Watches, services: Iterable[tuple[str, str]]) -> None:
        self._watches = watches
        self._scopes: dict[tuple[str, str], Scope] = {}
        names: dict[str, set[str]] = defaultdict(set)
        for namespace, name in services:
            names[namespace].add(name)
        for namespace, some in names.items():
            scope = Scope(_slices(session), namespace, f"{_SERVICE_NAME} in ({','.join(sorted(some))})")
            self._scopes.update({(namespace, name): scope for name in some})
            watches.follow(scope)

    def ready(self, namespace: str, service: str) -> int | None:
        """How many are ready; None where the Service is not followed, or nothing is known yet."""
        scope = self._scopes.get((namespace, service))
        items = self._watches.items(scope) if scope is not None else None
        if items is None:
            return None
        of_service = (i for i in items if (i["metadata"].get("labels") or {}).get(_SERVICE_NAME) == service)
        return sum(ready_in_slice(piece) for piece in of_service)


def _slices(session: Session) -> ResourceType:
    found = session.type_of(_SLICE, "v1")
    if found is None:
        raise Unreachable("the API server does not serve discovery.k8s.io/v1 EndpointSlices; run again")
    return found


def _asks_for_endpoints(manifest: Object) -> bool:
    try:
        return ENDPOINTS in wait_for(manifest)
    except OddField:
        return False
