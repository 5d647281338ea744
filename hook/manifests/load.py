"""Documents → manifests: flattened, checked, cleaned, sorted; then placed in their namespaces."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from hook.errors import InvalidInput
from hook.manifests.clean import clean
from hook.manifests.document import Document
from hook.manifests.duplicates import check_identities
from hook.manifests.flatten import flatten
from hook.manifests.identity import Identity, Kind, identify, version_of
from hook.manifests.left_out import left_out
from hook.manifests.manifest import LeftOut, Manifest
from hook.manifests.origin import Origin
from hook.manifests.validity import content_faults, shape_faults

_SHOWN = 20  # faults; who has more has one cause for many of them


@dataclass(frozen=True, slots=True)
class Manifests:
    """`items` are sorted by identity; namespaces are still as written."""

    items: tuple[Manifest, ...]
    left_out: tuple[LeftOut, ...] = ()


def load(documents: Iterable[Document]) -> Manifests:
    """What the documents ask for.

    Raises InvalidInput, naming file, line, object and path, for everything that is wrong with them, not only the first.
    """
    items: list[Manifest] = []
    not_now: list[LeftOut] = []
    faults: list[str] = []
    for obj, origin in flatten(documents):
        wrong = shape_faults(obj)
        why = left_out(obj) if isinstance(obj, dict) else None
        if why is not None and (not wrong or _is_generated(obj)):
            not_now.append(LeftOut(_identity_of_left_out(obj), origin, why))
            continue
        if not wrong:
            wrong = content_faults(obj, identify(obj))
        if wrong:
            faults.extend(f"{origin}: {_name(obj)}{fault}" for fault in wrong)
            continue
        items.append(_manifest(obj, origin))
    if faults:
        more = [f"... and {len(faults) - _SHOWN} more"] if len(faults) > _SHOWN else []
        raise InvalidInput(faults[0], faults[1:_SHOWN] + more)
    check_identities(items)
    return Manifests(
        tuple(sorted(items, key=lambda one: one.identity)), tuple(sorted(not_now, key=lambda one: one.origin))
    )


def place(
    manifests: Iterable[Manifest], target_namespace: str, namespaced: Callable[[Kind], bool | None]
) -> tuple[Manifest, ...]:
    """The manifests with the namespaces that they will have, sorted by identity.

    `namespaced` answers for a kind: True fills in the target namespace where none is written, False drops a written one
    (cluster-scoped), None (not known yet) leaves the manifest as it is. Raises InvalidInput when two manifests turn out
    to be for one resource.
    """
    placed = [_placed(manifest, target_namespace, namespaced(manifest.identity.of_kind)) for manifest in manifests]
    check_identities(placed)
    return tuple(sorted(placed, key=lambda one: one.identity))


def _placed(manifest: Manifest, target_namespace: str, namespaced: bool | None) -> Manifest:
    written = manifest.identity.namespace
    wanted = {True: written or target_namespace, False: "", None: written}[namespaced]
    if wanted == written:
        return manifest
    obj = copy.copy(manifest.obj)
    obj["metadata"] = {key: value for key, value in obj["metadata"].items() if key != "namespace"}
    if wanted:
        obj["metadata"]["namespace"] = wanted
    return replace(manifest, obj=obj, identity=replace(manifest.identity, namespace=wanted))


def _manifest(obj: dict[str, Any], origin: Origin) -> Manifest:
    cleaned = clean(obj)
    return Manifest(cleaned, identify(cleaned), version_of(cleaned), origin)


def _is_generated(obj: dict[str, Any]) -> bool:
    """A test or hook that is left out may well have a generated name, and nothing else that is wrong."""
    metadata = obj["metadata"] if isinstance(obj.get("metadata"), dict) else {}
    prefix = metadata.get("generateName")
    if not isinstance(prefix, str):
        return False
    named = {key: value for key, value in metadata.items() if key != "generateName"} | {"name": prefix + "x"}
    return not shape_faults({**obj, "metadata": named})


def _identity_of_left_out(obj: dict[str, Any]) -> Identity:
    metadata = obj["metadata"]
    return identify({**obj, "metadata": {**metadata, "name": metadata.get("name") or f"{metadata['generateName']}*"}})


def _name(obj: Any) -> str:
    """`ConfigMap shop/front: `, as far as the object says it; "" where it does not."""
    if not isinstance(obj, dict):
        return ""
    metadata = obj["metadata"] if isinstance(obj.get("metadata"), dict) else {}
    kind, namespace, name = (
        value if isinstance(value, str) and len(value) <= 253 else ""
        for value in (obj.get("kind"), metadata.get("namespace"), metadata.get("name") or metadata.get("generateName"))
    )
    if not kind:
        return ""
    return f"{kind} {namespace + '/' if namespace else ''}{name}: " if name else f"{kind}: "
