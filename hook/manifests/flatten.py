"""Lists are unpacked: `v1 List` and the typed ones (RoleList), as `kubectl get -o yaml` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hook.errors import InvalidInput
from hook.manifests.document import Document
from hook.manifests.origin import Origin

_SUFFIX = "List"


def flatten(documents: Iterable[Document]) -> Iterator[tuple[Any, Origin]]:
    """Each object of the documents with its place; what is no mapping is passed on for the check to refuse.

    An item of a typed list takes apiVersion and kind from its list where it has none. Raises InvalidInput for a list
    whose items are no objects.
    """
    for document in documents:
        if not _is_list(document.value):
            yield document.value, document.origin
            continue
        for index, item in enumerate(_items(document.value, document.origin)):
            yield from _unpacked(item, document.origin_of_item(index))


def _unpacked(value: dict[str, Any], origin: Origin) -> Iterator[tuple[Any, Origin]]:
    pending = [value]
    while pending:
        one = pending.pop()
        if _is_list(one):
            pending.extend(reversed(_items(one, origin)))
        else:
            yield one, origin


def _is_list(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return False
    kind = value["kind"]
    if kind == _SUFFIX:
        return value.get("apiVersion") == "v1" or isinstance(value.get("items"), list)
    metadata = value.get("metadata")
    named = isinstance(metadata, dict) and metadata.get("name")
    # A custom resource may be called AllowList and have items of its own; then it has a name, which lists have not.
    return kind.endswith(_SUFFIX) and not named and "items" in value and "spec" not in value


def _items(value: dict[str, Any], origin: Origin) -> list[dict[str, Any]]:
    items = value.get("items")
    if items is None:
        return []
    if not isinstance(items, list):
        raise InvalidInput(f"{origin}: {value['kind']}: items: must be a list of objects")
    kind = value["kind"].removesuffix(_SUFFIX)
    found = []
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            raise InvalidInput(f"{origin}: {value['kind']}: items[{index}]: is no object")
        typed = {"apiVersion": value.get("apiVersion"), "kind": kind} if kind else {}
        found.append({**typed, **item})
    return found
