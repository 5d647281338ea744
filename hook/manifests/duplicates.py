"""Two manifests for one resource, and two list entries with one key."""

from __future__ import annotations

from collections.abc import Iterable

from hook.errors import InvalidInput
from hook.manifests.identity import Identity, Object
from hook.manifests.keyed_lists import keyed_lists
from hook.manifests.manifest import Manifest


def duplicate_entries(obj: Object) -> list[str]:
    """One text for each entry whose key another entry of its list has: its path, the key, and the first one's place."""
    faults = []
    for found in keyed_lists(obj):
        first: dict[tuple[object, ...], int] = {}
        for index, entry in enumerate(found.entries):
            key = found.key_of(entry)
            if key is None:
                continue
            if key in first:
                shown = ", ".join(f"{name} {part}" for name, part in zip(found.keys, key, strict=True))
                faults.append(f"{found.path}[{index}]: has the same key ({shown}) as {found.path}[{first[key]}]")
            else:
                first[key] = index
    return faults


def check_identities(manifests: Iterable[Manifest]) -> None:
    """Raise InvalidInput, naming both places, when two manifests are for one resource."""
    first: dict[Identity, Manifest] = {}
    faults = []
    for manifest in sorted(manifests, key=lambda one: one.origin):
        other = first.setdefault(manifest.identity, manifest)
        if other is not manifest:
            faults.append(f"{manifest.origin}: {manifest.identity}: is already at {other.origin}; keep one of them")
    if faults:
        raise InvalidInput(faults[0], faults[1:])
