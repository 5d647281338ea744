"""Objects that several components own together: who says so, and which fields they do not agree on."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from hook.generations.field_sets import Item, Path, compare, item_node, node_at, show
from hook.generations.managed_fields import Entry
from hook.generations.marks import API_GROUP, field_manager, owners
from hook.generations.object_names import names
from hook.manifests.identity import Kind, Object, identify

SHARE_ANNOTATION = f"{API_GROUP}/share"
ALLOWED = "allowed"

# Containers of others' objects: several components may own one without having to say so.
ALWAYS_SHARED = frozenset({Kind("", "Namespace"), Kind("apiextensions.k8s.io", "CustomResourceDefinition")})

# Atomic lists with defaults: each apply would take them from the other component, for ever.
NEVER_SHARED = frozenset(
    {
        Kind("networking.k8s.io", "NetworkPolicy"),
        Kind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        Kind("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    }
)


def other_managers(metadata: Mapping[str, Any], component: str, namespace: str) -> tuple[str, ...]:
    """Field managers of the other components whose mark the object carries."""
    marks = sorted(owners(metadata).items())
    return tuple(field_manager(place, name) for name, place in marks if (name, place) != (component, namespace))


def says_share(desired: Object, share: Collection[str]) -> bool:
    """Whether we allow sharing: by the manifest's annotation, or by the setting `share` (KIND/NAME)."""
    annotations = desired["metadata"].get("annotations") or {}
    return annotations.get(SHARE_ANNOTATION) == ALLOWED or names(share, identify(desired))


def saying_share(desired: Object, share: Collection[str]) -> Object:
    """The desired object with the annotation that tells other components that we allow sharing, where we do."""
    if not says_share(desired, share):
        return desired
    declared = copy.deepcopy(desired)
    declared["metadata"].setdefault("annotations", {})[SHARE_ANNOTATION] = ALLOWED
    return declared


def others_say_share(metadata: Mapping[str, Any], managers: Sequence[str]) -> bool:
    """Whether each of these managers has applied the annotation that allows sharing."""
    annotations = metadata.get("annotations") or {}
    if annotations.get(SHARE_ANNOTATION) != ALLOWED:
        return False
    path = ("metadata", "annotations", SHARE_ANNOTATION)
    entries = metadata.get("managedFields") or ()
    return all(
        any(entry.get("manager") == manager and node_at(_fields(entry), path) is not None for entry in entries)
        for manager in managers
    )


def disagreements(desired: Object, live: Object, managers: Collection[str]) -> tuple[str, ...]:
    """Paths of fields that one of these managers holds with another value than we want, or that we both hold
    as a whole (lists) and that differ. Of `live`, what was not read (metadata only) is not compared."""
    return tuple(show(path) for path in _differing(desired, live, managers))


def leaving(desired: Object, live: Object, managers: Collection[str]) -> Object:
    """The desired object without the fields that `disagreements` names: they stay as the others have them."""
    result = copy.deepcopy(desired)
    for path in list(_differing(result, live, managers)):
        _remove(result, path)
    return result


def _differing(desired: Object, live: Object, managers: Collection[str]) -> Iterator[Path]:
    entries = [entry for entry in live["metadata"].get("managedFields") or () if entry.get("manager") in managers]
    seen: set[str] = set()
    for entry in entries:
        fields = _fields(entry)
        for path, value, owned in compare(desired, fields):
            if owned and path[0] in live and show(path) not in seen and _value_at(live, path, fields) != value:
                seen.add(show(path))
                yield path


def _value_at(live: Object, path: Path, fields: dict[str, Any]) -> Any:
    """The live value at a path; a list item is the one that falls under the same key of `fields`."""
    value: Any = live
    node: dict[str, Any] | None = fields
    for step in path:
        if isinstance(step, Item):
            wanted = item_node(node, step.value)
            value = next((one for one in value or () if item_node(node, one) is wanted), None)
            node = wanted
        else:
            value = value.get(step) if isinstance(value, dict) else None
            node = None if node is None else node.get(f"f:{step}")
    return value


def _remove(obj: Object, path: Path) -> None:
    *parents, last = path
    value: Any = obj
    for step in parents:
        value = _child(value, step)
    if isinstance(last, Item):
        value[:] = [one for one in value or () if one is not last.value]
    else:
        (value or {}).pop(last, None)


def _child(value: Any, step: str | Item) -> Any:
    if isinstance(step, Item):
        return next((one for one in value or () if one is step.value), None)
    return (value or {}).get(step)


def _fields(entry: Entry) -> dict[str, Any]:
    fields: dict[str, Any] = entry.get("fieldsV1") or {}
    return fields
