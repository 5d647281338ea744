"""Reading objects of any kind, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hook.cluster.answers import ApiError, Cause
from hook.cluster.bodies import is_list, is_object, typed
from hook.cluster.connection import REQUEST_TIMEOUT, Connection
from hook.cluster.exchange import ask
from hook.cluster.resource_type import ResourceType
from hook.manifests.identity import Identity, Kind, Object

PAGE = 500
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_RESTARTS = 3
_REVIEW = Kind("authorization.k8s.io", "SelfSubjectAccessReview")


@dataclass(frozen=True, slots=True)
class Listing:
    """All items of a LIST (each with apiVersion and kind), and the version from which a watch goes on."""

    items: list[Object]
    resource_version: str


@dataclass(frozen=True, slots=True)
class Access:
    """The authorizer's word on one right; `reason` is its text, often empty."""

    allowed: bool
    reason: str


class Reads:
    """Thread-safe. Every method raises ApiError (see `Cause`), Terminated, and what the fence raises."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def get(
        self,
        rt: ResourceType,
        namespace: str | None,
        name: str,
        metadata_only: bool = False,
        *,
        urgent: bool = False,
        timeout: float | None = None,
        patience: float | None = None,
    ) -> Object:
        """The object; with `metadata_only` apiVersion, kind and metadata, and nothing else leaves the server.

        `urgent`: for the Lease, see `Connection`. `timeout`: try once only, and so many seconds. `patience`: try
        again for no longer than so many seconds.
        """
        served = ask(
            self.connection,
            "get",
            rt.identity(namespace, name),
            rt.plural,
            "GET",
            rt.path(namespace, name),
            headers={"Accept": METADATA} if metadata_only else None,
            usable=lambda value: is_object(value, name),
            urgent=urgent,
            timeout=timeout or REQUEST_TIMEOUT,
            once=timeout is not None,
            patience=patience,
        )
        return typed(rt, served.value, metadata_only)

    def list(
        self,
        rt: ResourceType,
        namespace: str | None = None,
        metadata_only: bool = False,
        label_selector: str | None = None,
        field_selector: str | None = None,
    ) -> Listing:
        """All objects of the kind, in a namespace or in all of them, read in pages at one point in time."""
        query: dict[str, str] = {}
        if label_selector:
            query["labelSelector"] = label_selector
        if field_selector:
            query["fieldSelector"] = field_selector
        for _ in range(_RESTARTS):
            try:
                return self._pages(rt, namespace, metadata_only, {**query, "limit": str(PAGE)})
            except ApiError as error:
                # The pages' point in time was compacted away: start over.
                if error.cause is not Cause.EXPIRED:
                    raise
        return self._pages(rt, namespace, metadata_only, query)

    def _pages(self, rt: ResourceType, namespace: str | None, metadata_only: bool, query: Mapping[str, str]) -> Listing:
        items: list[Object] = []
        more: dict[str, str] = {}
        while True:
            served = ask(
                self.connection,
                "list",
                rt.identity(namespace, None),
                rt.plural,
                "GET",
                rt.path(namespace),
                query={**query, **more},
                headers={"Accept": _METADATA_LIST} if metadata_only else None,
                usable=is_list,
            )
            page = served.value
            items += (typed(rt, item, metadata_only) for item in page.get("items") or ())
            metadata = page["metadata"]
            if not metadata.get("continue"):
                return Listing(items, metadata.get("resourceVersion") or "")
            more = {"continue": metadata["continue"]}

    def review_access(
        self,
        group: str,
        plural: str,
        verb: str,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
    ) -> Access:
        """Whether the authorizer lets us do that; `namespace` None or "" asks for all of them (or cluster scope)."""
        attributes = {
            "group": group,
            "resource": plural,
            "verb": verb,
            "namespace": namespace or "",
            "name": name,
            "subresource": subresource,
        }
        served = ask(
            self.connection,
            "review",
            Identity(_REVIEW.group, _REVIEW.kind, "", f"{verb} {plural}"),
            "selfsubjectaccessreviews",
            "POST",
            "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            body={
                "kind": _REVIEW.kind,
                "apiVersion": "authorization.k8s.io/v1",
                "spec": {"resourceAttributes": {key: value for key, value in attributes.items() if value}},
            },
            usable=lambda value: isinstance(value.get("status"), dict),
        )
        status = served.value["status"]
        return Access(status.get("allowed") is True, status.get("reason") or "")
