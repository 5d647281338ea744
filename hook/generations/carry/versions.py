"""Served versions of a CustomResourceDefinition: the old controllers read and watch at them."""

from __future__ import annotations

import copy
from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields
from hook.manifests.identity import Object


def carry_versions(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Versions that the live definition serves and the new one drops, or stops serving, are served on.

    They are never the storage version: the new definition names that. The list is atomic, so whoever wrote it.
    """
    versions = _versions(body)
    wanted = {version["name"]: version for version in versions}
    kept = []
    for version in _versions(live):
        same = wanted.get(version["name"])
        if not version.get("served") or (same is not None and same.get("served")):
            continue
        if same is None:
            versions.append({**copy.deepcopy(version), "storage": False})
        else:
            same["served"] = True
        kept.append(Kept(f"version {version['name']} is served on", version))
    return kept


def _versions(definition: Object) -> list[dict[str, Any]]:
    versions: list[dict[str, Any]] = definition["spec"].get("versions") or []
    return versions
