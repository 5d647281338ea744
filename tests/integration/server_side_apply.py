"""Server-side apply and patches by plain requests, as a given field manager."""

from __future__ import annotations

from typing import Any

from tests.cluster.api import Answer, Api
from tests.cluster.probe import targets_of

Object = dict[str, Any]
OURS = "handoff:ops:web"


def path_of(api: Api, obj: Object) -> str:
    (target,) = targets_of(api, [obj])
    return target.path


def apply(api: Api, obj: Object, manager: str = OURS) -> Answer:
    query = {"fieldManager": manager, "force": "true"}
    return api.request("PATCH", path_of(api, obj), obj, query=query, content_type="application/apply-patch+yaml")


def applied(api: Api, obj: Object, manager: str = OURS) -> Object:
    """The live object after an apply that has to succeed."""
    answer = apply(api, obj, manager)
    assert answer.status in (200, 201), answer.body
    return answer.body


def json_patch(api: Api, obj: Object, operations: list[Object], manager: str) -> Answer:
    query = {"fieldManager": manager}
    return api.request("PATCH", path_of(api, obj), operations, query=query, content_type="application/json-patch+json")


def with_entries(live: Object, entries: list[Object]) -> list[Object]:
    """The JSON patch that writes managedFields, on condition of the resourceVersion."""
    return [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": live["metadata"]["resourceVersion"]},
        {"op": "add", "path": "/metadata/managedFields", "value": entries},
    ]
