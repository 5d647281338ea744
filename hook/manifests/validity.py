"""What every object must have to be sent at all, checked before the first request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hook.manifests.annotations import fault_of_annotation
from hook.manifests.duplicates import duplicate_entries
from hook.manifests.foreign_marks import is_foreign_annotation, is_foreign_label
from hook.manifests.identity import Identity, Kind, Object, split_api_version
from hook.manifests.names import (
    fault_of_api_version,
    fault_of_dns_label,
    fault_of_kind,
    fault_of_label_value,
    fault_of_name,
    fault_of_qualified_name,
)
from hook.manifests.payload import payload_faults

_RECORD = Kind("installersets.io", "InstallerSet")
_KUSTOMIZE = "kustomize.config.k8s.io"


def shape_faults(obj: Any) -> list[str]:
    """What keeps an object from having an identity: no mapping, no apiVersion, kind, metadata or name."""
    if not isinstance(obj, dict):
        return [f"is {_what(obj)}, not an object (a mapping with apiVersion, kind and metadata)"]
    faults = [
        *_text(obj, "apiVersion", "apiVersion", fault_of_api_version),
        *_text(obj, "kind", "kind", fault_of_kind),
    ]
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return [*faults, "metadata: is missing" if metadata is None else f"metadata: is {_what(metadata)}"]
    if faults:
        return faults
    if obj["apiVersion"].startswith(f"{_KUSTOMIZE}/"):
        return ["is an input of kustomize, not a resource; render it first (`kustomize build`)"]
    if metadata.get("generateName") is not None:
        return ["metadata.generateName: each run would make another object; give it a fixed metadata.name"]
    group, _ = split_api_version(obj["apiVersion"])
    kind = Kind(group, obj["kind"])
    return [
        *_text(metadata, "name", "metadata.name", lambda name: fault_of_name(kind, name)),
        *_namespace(metadata.get("namespace")),
    ]


def content_faults(obj: Object, identity: Identity) -> list[str]:
    """What is wrong in an object whose shape is right: labels, annotations, finalizers, data, keys that stand twice."""
    metadata = obj["metadata"]
    faults = [
        *_map(metadata.get("labels"), "labels", _label_fault),
        *_map(metadata.get("annotations"), "annotations", _annotation_fault),
        *_finalizers(metadata.get("finalizers")),
        *payload_faults(identity.of_kind, obj),
        *duplicate_entries(obj),
    ]
    if identity.of_kind == _RECORD:
        faults.append("is the record of a handoff, written by the handoff itself; take it out of the input")
    return faults


def _text(where: dict[str, Any], key: str, path: str, fault_of: Callable[[str], str | None]) -> list[str]:
    value = where.get(key)
    if value is None:
        return [f"{path}: is missing"]
    if not isinstance(value, str):
        return [f"{path}: is {_what(value)}, not text; quote it"]
    fault = fault_of(value)
    return [f"{path} {_shown(value)}: {fault}{_hint(value)}"] if fault else []


def _namespace(value: Any) -> list[str]:
    if value is None or value == "":
        return []
    if not isinstance(value, str):
        return [f"metadata.namespace: is {_what(value)}, not text; quote it"]
    fault = fault_of_dns_label(value)
    return [f"metadata.namespace {_shown(value)}: {fault}{_hint(value)}"] if fault else []


def _map(value: Any, name: str, fault_of: Callable[[str, str], str | None]) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, dict):
        return [f"metadata.{name}: is {_what(value)}, not a mapping"]
    faults = []
    for key, one in value.items():
        path = f"metadata.{name}[{_shown(key)}]"
        if one is None:
            continue
        if not isinstance(one, str):
            faults.append(f"{path}: is {_what(one)}, not text; quote it")
        elif fault := fault_of(key, one):
            faults.append(f"{path}: {fault}")
    return faults


def _label_fault(key: str, value: str) -> str | None:
    if is_foreign_label(key):
        return None
    fault = fault_of_qualified_name(key)
    if fault:
        return f"its key {fault}"
    fault = fault_of_label_value(value)
    return f"its value {_shown(value)} {fault}{_hint(value)}" if fault else None


def _annotation_fault(key: str, value: str) -> str | None:
    if is_foreign_annotation(key):
        return None
    fault = fault_of_qualified_name(key.lower())
    return f"its key {fault}" if fault else fault_of_annotation(key, value)


def _finalizers(value: Any) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return ["metadata.finalizers: must be a list of texts"]
    twice = sorted({one for one in value if value.count(one) > 1})
    return [f"metadata.finalizers: {_shown(one)} stands twice" for one in twice]


def _what(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a mapping"}
    return names[type(value)]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")


def _hint(value: str) -> str:
    return " (is it a template? Render it first)" if "{{" in value or "${" in value else ""
