"""JSON patches (RFC 6902) of an object's metadata, on condition that it is still what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hook.manifests.identity import Object


def metadata_patch(
    live: Mapping[str, Any],
    *,
    labels: Mapping[str, str | None] | None = None,
    annotations: Mapping[str, str | None] | None = None,
    managed_fields: Sequence[Mapping[str, Any]] | None = None,
    owner_references: Sequence[Mapping[str, Any]] | None = None,
) -> list[Object]:
    """The patch that sets these labels and annotations (None removes one) and, if given, all managedFields and
    ownerReferences.

    It replaces metadata.resourceVersion with the one that was read, which the API server takes as the condition: a
    stale one is a conflict (409). A `test` operation would be answered as invalid (422).
    """
    metadata = live["metadata"]
    operations: list[Object] = [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]}
    ]
    for name, entries in (("managedFields", managed_fields), ("ownerReferences", owner_references)):
        if entries is not None:
            operations.append({"op": "add", "path": f"/metadata/{name}", "value": list(entries)})
    for place, changes in (("labels", labels), ("annotations", annotations)):
        before = dict(metadata.get(place) or {})
        after = {**before, **(changes or {})}
        after = {key: value for key, value in after.items() if value is not None}
        if after != before:
            operations.append({"op": "add", "path": f"/metadata/{place}", "value": after})
    return operations
