"""JSON bodies of answers: what counts as an object, and whether an object is what was meant to be written."""

from __future__ import annotations

from typing import Any

from hook.cluster.resource_type import ResourceType
from hook.manifests.identity import Object


def is_object(value: Object, name: str) -> bool:
    """Whether the body is the object of that name (not a Status, not the page of a proxy)."""
    metadata = value.get("metadata")
    return isinstance(metadata, dict) and metadata.get("name") == name and value.get("kind") not in (None, "Status")


def is_list(value: Object) -> bool:
    """Whether the body is a list of objects; `items` may be null, as Go writes an empty slice."""
    items = value.get("items")
    return (
        str(value.get("kind")).endswith("List")
        and isinstance(value.get("metadata"), dict)
        and (items is None or (isinstance(items, list) and all(isinstance(item, dict) for item in items)))
    )


def typed(rt: ResourceType, value: Object, metadata_only: bool) -> Object:
    """With apiVersion and kind, which items of a list lack; of metadata only, whatever the server sent."""
    if metadata_only:
        return {"apiVersion": rt.api_version, "kind": rt.kind, "metadata": value.get("metadata") or {}}
    return {"apiVersion": rt.api_version, "kind": rt.kind, **value}


def meant(obj: Object, subresource: str | None) -> Object:
    """What a write was to bring about: without what the server itself moves."""
    if subresource:
        return {subresource: obj.get(subresource)}
    metadata = {key: obj["metadata"].get(key) for key in ("name", "labels", "annotations")}
    return {**obj, "metadata": metadata}


def holds(live: Any, wanted: Any) -> bool:
    """Whether all that was wanted is there; what more the live value has does not matter.

    An absent value is as good as null and as an empty one: the server leaves those out.
    """
    if isinstance(wanted, dict):
        return (isinstance(live, dict) or not wanted) and all(
            holds((live or {}).get(key), value) for key, value in wanted.items()
        )
    if isinstance(wanted, list) and wanted:
        return isinstance(live, list) and len(live) == len(wanted) and all(map(holds, live, wanted))
    return bool(live == wanted) or (live is None and wanted in (None, "", 0, False, []))
