"""Sets of fields as `fieldsV1` of a managedFields entry writes them.

A node is a dict. `{}` stands for the field itself, with whatever is in it (a scalar, or a list or map that is owned
as a whole). Otherwise its keys are `f:<name>` (a field), `k:<JSON>` (the list item with these keys), `v:<JSON>` (a
member of a list that is a set), `i:<n>` (an item by position), and `.`: the field itself as well as what is below it.
Source: k8s.io/apimachinery `FieldsV1` and sigs.k8s.io/structured-merge-diff `fieldpath`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

Fields = dict[str, Any]

# Of an object itself, not of the intent that it expresses: no manager ever owns these.
_NEVER_OWNED = frozenset({("apiVersion",), ("kind",)}) | frozenset(
    ("metadata", name)
    for name in (
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "selfLink",
        "managedFields",
    )
)

# Maps that the usual custom resources own as a whole: label selectors and references to other objects.
_WHOLE_MAP_KEYS = frozenset(
    {"matchLabels", "matchExpressions"}
    | {"apiVersion", "apiGroup", "kind", "namespace", "name", "uid", "resourceVersion", "fieldPath"}
    | {"key", "optional", "containerName", "resource", "divisor"}
)


def union(sets: Iterable[Fields]) -> Fields:
    """All fields of several sets, as a new one."""
    result: Fields = {}
    for fields in sets:
        result = _merged(result, fields)
    return result


def _merged(one: Fields, other: Fields) -> Fields:
    return {
        **one,
        **{key: _merged_nodes(one[key], node) if key in one else _merged({}, node) for key, node in other.items()},
    }


def _merged_nodes(one: Fields, other: Fields) -> Fields:
    """A bare node owns the field itself: that must not be lost when the other side adds what is below it."""
    merged = _merged(one, other)
    return {".": {}, **merged} if merged and (not one or not other) else merged


def owns_path(fields: Fields, path: tuple[str, ...]) -> bool:
    """Whether the field of these names, or a whole that it lies in, is in the set. Names only: no list items."""
    node = fields
    for name in path:
        child = node.get(f"f:{name}")
        if child is None:
            return False
        if not child:
            return True
        node = child
    return True


def descend(fields: Fields | None, *path: str) -> Fields | None:
    """The node below these field names; None where nothing of it is in the set."""
    node = fields
    for name in path:
        node = None if node is None else node.get(f"f:{name}")
    return node


def item_node(node: Fields | None, item: Any) -> Fields | None:
    """The node of a list item: found by `k:` keys for an object, by `v:` for a scalar.

    A key field that the item lacks may be filled in by the server (a port's protocol), so any value of it fits.
    """
    for key, child in (node or {}).items():
        if key.startswith("k:") and isinstance(item, dict):
            wanted = _decoded(key[2:])
            if all(name not in item or same_value(item[name], value) for name, value in wanted.items()):
                return _as_node(child)
        elif key.startswith("v:") and not isinstance(item, dict) and same_value(_decoded(key[2:]), item):
            return _as_node(child)
    return None


def same_value(one: Any, other: Any) -> bool:
    """Equal as JSON: `True` is not `1`, but `1.0` is `1`."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


class Item:
    """A list item as a step of a path; the other steps are field names."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


Path = tuple[str | Item, ...]


def compare(
    value: Any, node: Fields | None, *, free_form: bool = False, path: Path = ()
) -> Iterator[tuple[Path, Any, bool]]:
    """(path, value, owned) for each leaf of a manifest, `owned` telling whether it is in the set of fields.

    A leaf is a scalar, an empty map or an empty list; what the set owns as a whole comes as one leaf. Nothing comes
    for null, nor for what no manager owns (name, uid, ...). `node` None is the empty set.

    With `free_form` the schema may hold maps of any content (custom resources). There a bare node can be left of a
    map whose content somebody else removed, so it stands for the map as a whole only where maps usually are owned as
    a whole: selectors and references. To be wrong that way costs a write that changes nothing.
    """
    if path in _NEVER_OWNED or value is None:
        return
    if not isinstance(value, dict | list) or not value:
        yield path, value, node is not None
    elif node is not None and not node and path and not (free_form and _may_be_a_rest(value)):
        yield path, value, True
    elif isinstance(value, dict):
        for name, child in value.items():
            below = None if node is None else node.get(f"f:{name}")
            yield from compare(child, below, free_form=free_form, path=(*path, name))
    else:
        for item in value:
            below = item_node(node, item)
            yield from compare(item, below, free_form=free_form, path=(*path, Item(item)))


def _may_be_a_rest(value: Any) -> bool:
    return isinstance(value, dict) and not _WHOLE_MAP_KEYS.issuperset(value)


def node_at(fields: Fields, path: Path) -> Fields | None:
    """The node at exactly this path; None where nothing at or below it is in the set."""
    node: Fields | None = fields
    for step in path:
        if node is None:
            return None
        node = item_node(node, step.value) if isinstance(step, Item) else node.get(f"f:{step}")
    return node


def without_leaves(node: Fields, value: Any) -> Fields:
    """The set without the leaves of a manifest (from the same place in both); what else it owns stays.

    An item or map of which nothing but the mere presence would be left goes too.
    """
    if not isinstance(value, dict | list) or not node:
        return {}
    rest = dict(node)
    children = (
        [(f"f:{name}", child) for name, child in value.items()]
        if isinstance(value, dict)
        else [(key, item) for item in value if (key := _key_of(node, item))]
    )
    for key, child in children:
        if key in rest:
            left = without_leaves(rest.pop(key), child)
            if left:
                rest[key] = left
    return {} if rest.keys() <= {"."} else rest


def _key_of(node: Fields, item: Any) -> str:
    """The key of a list item's node, "" where there is none."""
    found = item_node(node, item)
    return next((key for key, child in node.items() if child is found), "") if found is not None else ""


@lru_cache(maxsize=4096)
def _decoded(text: str) -> Any:
    return json.loads(text)


def _as_node(child: Any) -> Fields:
    return child if isinstance(child, dict) else {}


def show(path: Path) -> str:
    """A path for people: `spec.template.spec.containers[web].image`, `metadata.labels[app.kubernetes.io/name]`.

    Items are shown by name, or by their identifying number; never by a value of another field.
    """
    text = ""
    for step in path:
        if isinstance(step, Item):
            text += f"[{_item_name(step.value)}]"
        elif any(character in step for character in "./[]"):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def _item_name(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item) if isinstance(item, str | int) else ""
    for name in ("name", "containerPort", "port", "mountPath", "devicePath", "key", "ip", "type", "uid"):
        if isinstance(item.get(name), str | int):
            return str(item[name])
    return ""
