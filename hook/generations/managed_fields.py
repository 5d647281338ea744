"""metadata.managedFields: who owns which field of a live object, and how ownership moves.

Entries are as the API server gives them: dicts with manager, operation, apiVersion, subresource (or not), time,
fieldsType and fieldsV1. Nothing that is passed in is changed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hook.generations.field_sets import Fields, compare, node_at, show, union, without_leaves
from hook.manifests.identity import Object, split_api_version

Entry = dict[str, Any]

# Groups of the API server itself: their schemas are known to have no maps of free form.
_BUILT_IN_SUFFIX = ".k8s.io"


def applied_entry(metadata: Mapping[str, Any], manager: str) -> Entry | None:
    """The Apply entry of a manager, for the object itself (no subresource); None where there is none."""
    for entry in metadata.get("managedFields") or ():
        if entry.get("manager") == manager and entry.get("operation") == "Apply" and not entry.get("subresource"):
            return dict(entry)
    return None


def applied_fields(metadata: Mapping[str, Any], manager: str) -> Fields | None:
    """What a manager's Apply entry owns; None where there is no such entry."""
    entry = applied_entry(metadata, manager)
    return None if entry is None else entry.get("fieldsV1") or {}


def uncovered(fields: Fields, obj: Object, managed_fields: Sequence[Entry] = ()) -> list[str]:
    """Paths of the leaves of a manifest that an entry's fields do not own; empty when it covers all of it.

    A leaf that somebody else changed, or removed, is no longer owned by the entry that applied it: this is how drift
    shows without reading values. An empty list leaves no trace in an entry where the schema merges the list's items.
    In kinds of Kubernetes itself, all of whose lists the API server drops when they are empty, it counts as owned
    unless an entry in `managed_fields` (all of the live object) owns that list as a whole.
    """
    group, _ = split_api_version(obj["apiVersion"])
    free_form = "." in group and not group.endswith(_BUILT_IN_SUFFIX)
    others = [entry.get("fieldsV1") or {} for entry in managed_fields]
    missing: list[str] = []
    for path, value, owned in compare(obj, fields, free_form=free_form):
        without_trace = value == [] and not free_form and not any(node_at(other, path) == {} for other in others)
        if not owned and not without_trace:
            missing.append(show(path))
    return missing


def shared_with(managed_fields: Sequence[Entry], manager: str, obj: Object) -> list[tuple[str, str]]:
    """(manager, path) for each leaf of the manifest that another manager's entry owns, alone or as well."""
    found: dict[tuple[str, str], None] = {}
    for entry in managed_fields:
        if entry.get("manager") == manager:
            continue
        fields = entry.get("fieldsV1") or {}
        for path, _, owned in compare(obj, fields):
            if owned:
                found[str(entry.get("manager")), show(path)] = None
    return list(found)


def take_over(
    managed_fields: Sequence[Entry],
    manager: str,
    taken: Callable[[Entry], bool],
    now: str,
    api_version: str | None = None,
) -> list[Entry]:
    """The entries with those that `taken` picks merged into the manager's Apply entry.

    What the picked entries own is ours from then on, so that our next apply removes what the manifest lacks. Entries
    of a subresource (`scale`, `status`) are never taken, nor are ownerReferences: they are no configuration. The merged
    entry has the apiVersion that its parts agree on, since the paths in it are of that version; where they do not
    agree, `api_version` (that of the manifest), or else ours, or that of the newest entry taken. `now` is RFC 3339 in
    UTC, in seconds. The same entries come back when nothing is taken.
    """
    picked = [entry for entry in managed_fields if not _is_ours(entry, manager) and _takeable(entry, taken)]
    if not picked:
        return copy.deepcopy(list(managed_fields))
    ours = [entry for entry in managed_fields if _is_ours(entry, manager)]
    rest = [entry for entry in managed_fields if entry not in picked and entry not in ours]
    model = ours[0] if ours else max(picked, key=lambda entry: str(entry.get("time") or ""))
    versions = {entry["apiVersion"] for entry in (*ours, *picked)}
    merged: Entry = {
        "manager": manager,
        "operation": "Apply",
        "apiVersion": versions.pop() if len(versions) == 1 else api_version or model["apiVersion"],
        "time": now,
        "fieldsType": "FieldsV1",
        "fieldsV1": union([*(_fields(entry) for entry in ours), *(_split(entry)[0] for entry in picked)]),
    }
    left = [{**entry, "fieldsV1": references} for entry in picked if (references := _split(entry)[1])]
    return [merged, *copy.deepcopy(left), *copy.deepcopy(rest)]


def _fields(entry: Entry) -> Fields:
    fields: Fields = entry.get("fieldsV1") or {}
    return fields


def _split(entry: Entry) -> tuple[Fields, Fields]:
    """What an entry owns: all but ownerReferences, and these. An apply that lacks them would orphan the object."""
    fields = _fields(entry)
    metadata = fields.get("f:metadata") or {}
    if "f:ownerReferences" not in metadata:
        return fields, {}
    rest = {key: node for key, node in metadata.items() if key != "f:ownerReferences"}
    owned = {"f:metadata": {"f:ownerReferences": metadata["f:ownerReferences"]}}
    return {**fields, "f:metadata": rest}, owned


def released(managed_fields: Sequence[Entry], released_by: Callable[[Entry], bool], obj: Object) -> list[Entry]:
    """The entries without what those that `released_by` picks own of the manifest's fields.

    Where two own a field, it stays when one of them drops it; what we apply next is to be ours alone. An entry that
    has nothing left goes.
    """
    rest: list[Entry] = []
    for entry in managed_fields:
        kept = copy.deepcopy(entry)
        if _takeable(entry, released_by):
            kept["fieldsV1"] = without_leaves(entry.get("fieldsV1") or {}, obj)
        if kept.get("fieldsV1"):
            rest.append(kept)
    return rest


def _is_ours(entry: Entry, manager: str) -> bool:
    return entry.get("manager") == manager and entry.get("operation") == "Apply" and not entry.get("subresource")


def _takeable(entry: Entry, taken: Callable[[Entry], bool]) -> bool:
    return not entry.get("subresource") and taken(entry)


def without(managed_fields: Sequence[Entry], manager: str) -> list[Entry]:
    """The entries without those of a manager, to be written back.

    When nothing else is left, that is `[{}]`: the documented way to say that nobody owns anything.
    """
    rest = [copy.deepcopy(entry) for entry in managed_fields if entry.get("manager") != manager]
    return rest or [{}]


def in_version(
    managed_fields: Sequence[Entry], manager: str | None, api_version: str, served: Collection[str] = ()
) -> list[Entry]:
    """The entries with those of a manager (None: of every manager) said to be of another apiVersion.

    For entries of a version that is no longer served, which make every apply fail. Only versions of the same group are
    rewritten, and none that is among `served` (apiVersions). Entries that become the same one (manager, operation,
    subresource) are united.
    """
    group, _ = split_api_version(api_version)
    result: dict[tuple[str, ...], Entry] = {}
    for entry in managed_fields:
        rewritten = copy.deepcopy(entry)
        before = str(entry.get("apiVersion") or "")
        if manager in (None, entry.get("manager")) and split_api_version(before)[0] == group and before not in served:
            rewritten["apiVersion"] = api_version
        key = _entry_key(rewritten)
        if key in result:
            rewritten["fieldsV1"] = union(one.get("fieldsV1") or {} for one in (result[key], rewritten))
            rewritten["time"] = max(str(result[key].get("time") or ""), str(rewritten.get("time") or ""))
        result[key] = rewritten
    return list(result.values())


def _entry_key(entry: Entry) -> tuple[str, ...]:
    return tuple(str(entry.get(name) or "") for name in ("manager", "operation", "subresource", "apiVersion"))
