"""What is sent for a manifest: its fields, our mark, and the digest that tells an unchanged resource."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from hook.generations.managed_fields import applied_entry, uncovered
from hook.generations.marks import CARRY_SEPARATOR, applied_annotation, applied_value, field_manager, owner_label
from hook.manifests.digest import digest_object
from hook.manifests.identity import Kind, Object, split_api_version

SECRET = Kind("", "Secret")


def body_of(desired: Object, component: str, namespace: str, meant: Object, carried: str = "") -> Object:
    """The body to apply.

    `meant` is the manifest itself and gives the digest; `desired` is it too, or it with `carried` (a digest)
    along. A Secret gets no applied digest: a digest of its values alone could be tried out.
    """
    body = copy.deepcopy(desired)
    metadata = body["metadata"]
    metadata.setdefault("labels", {})[owner_label(component)] = namespace
    if not _is_secret(body):
        value = applied_value(digest_object(meant), carried)
        metadata.setdefault("annotations", {})[applied_annotation(component)] = value
    return body


def is_unchanged(
    desired: Object, live: Mapping[str, Any], component: str, namespace: str, meant: Object, *, exact: bool
) -> bool:
    """Whether applying `desired` would change nothing, judged from the live metadata alone.

    True only if the live object carries the digest of `meant` (the manifest), is not being deleted, and our Apply
    entry, at the manifest's own version, owns every leaf of `desired`: whoever changed a field of ours by force has
    taken it from that entry. With `exact` nothing may be carried along. Always False for a Secret.
    """
    metadata = live["metadata"]
    if _is_secret(desired) or metadata.get("deletionTimestamp"):
        return False
    written = (metadata.get("annotations") or {}).get(applied_annotation(component), "")
    digest, _, carried = written.partition(CARRY_SEPARATOR)
    if digest != digest_object(meant) or (exact and carried):
        return False
    entry = applied_entry(metadata, field_manager(namespace, component))
    if entry is None or entry.get("apiVersion") != desired["apiVersion"]:
        return False
    body = body_of(desired, component, namespace, meant)
    if carried:
        body.pop("immutable", None)  # withheld as long as something is carried along
    return not uncovered(entry.get("fieldsV1") or {}, body, metadata.get("managedFields") or ())


def carries_along(meant: Object, live: Mapping[str, Any], component: str, namespace: str) -> bool:
    """Whether a live object holds something for old pods that the exact apply of `meant` will take away.

    The digest says so; a Secret has none, so there it shows in the keys that our entry owns and the manifest lacks.
    """
    metadata = live["metadata"]
    if not _is_secret(meant):
        return CARRY_SEPARATOR in (metadata.get("annotations") or {}).get(applied_annotation(component), "")
    entry = applied_entry(metadata, field_manager(namespace, component)) or {}
    fields = entry.get("fieldsV1") or {}
    owned = {key.removeprefix("f:") for key in fields.get("f:data") or {}} - {"."}
    withheld = "immutable" in meant and "f:immutable" not in fields
    return withheld or not owned <= set(meant.get("data") or {})


def _is_secret(obj: Object) -> bool:
    group, _ = split_api_version(obj["apiVersion"])
    return Kind(group, obj["kind"]) == SECRET
