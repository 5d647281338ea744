"""An object as it is meant: without what belongs to others, and in the one form that server-side apply keeps."""

from __future__ import annotations

from typing import Any

from hook.manifests.foreign_marks import strip_foreign_marks
from hook.manifests.identity import Kind, Object, split_api_version
from hook.manifests.keyed_lists import keyed_lists
from hook.manifests.payload import SECRET, merge_string_data

_CLUSTER_ROLE = Kind("rbac.authorization.k8s.io", "ClusterRole")


def clean(obj: Object) -> Object:
    """A new object for one whose shape and content were checked (validity); doing it twice changes nothing more.

    Out go: status, what only a server writes, marks of others and our own, nulls in mappings (an apply of a null is a
    change that never ends), and the rules of an aggregated ClusterRole (its controller's). A Secret's `stringData`
    becomes `data`; key fields of list entries get their default, so that `{port: 53}` and `{port: 53, protocol: UDP}`
    can be told apart.
    """
    cleaned: Object = _without_nulls(obj)
    cleaned.pop("status", None)
    metadata = cleaned["metadata"]
    if metadata.get("namespace") == "":
        del metadata["namespace"]
    strip_foreign_marks(metadata)
    group, _ = split_api_version(cleaned["apiVersion"])
    kind = Kind(group, cleaned["kind"])
    if kind == SECRET:
        merge_string_data(cleaned)
    if kind == _CLUSTER_ROLE and "aggregationRule" in cleaned:
        cleaned.pop("rules", None)
    for found in keyed_lists(cleaned):
        for entry in found.entries:
            if isinstance(entry, dict):
                for name, default in found.defaults.items():
                    entry.setdefault(name, default)
    return cleaned


def _without_nulls(value: Any) -> Any:
    # A null in a list stays: taking it out would move its neighbours, and `enum: [a, null]` means it.
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_without_nulls(one) for one in value]
    return value
