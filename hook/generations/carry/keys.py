"""Keys of ConfigMaps and Secrets: old pods read them at any time, mounted or through the API."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields, descend
from hook.manifests.identity import Object

_SECTIONS = ("data", "binaryData")
# The API server's limit for the values of one ConfigMap or Secret together, in bytes (MaxSecretSize).
_LARGEST = 1024 * 1024


def carry_keys(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Keys that we own and the manifest lacks stay, with their live values.

    Nothing stays of an object that is immutable already: its keys cannot change but by recreating it. `immutable` is
    withheld from the body while a key is carried, so that the key can go later.
    """
    missing = list(_missing(body, live, owned))
    if not missing or not _fits(body, missing):
        return []
    secret = body["kind"] == "Secret"
    kept = []
    for section, key, value in missing:
        body.setdefault(section, {})[key] = value
        kept.append(Kept(f"key {key} of {section}", None if secret else value))
    if body.pop("immutable", None):
        kept.append(Kept("immutable is set when the keys above are gone"))
    return kept


def lost_keys(desired: Object, live: Object, owned: Fields) -> list[str]:
    """Values that change under the old pods, and keys that go although old pods may read them. Names only."""
    before, after = _values(live), _values(desired)
    lines = [f"the value of key {key} changes" for key in sorted(before.keys() & after) if before[key] != after[key]]
    missing = list(_missing(desired, live, owned))
    if missing and not _fits(desired, missing):
        keys = ", ".join(sorted(key for _, key, _ in missing))
        lines.append(f"keys go at once, since old and new together are larger than 1 MiB: {keys}")
    return lines


def _missing(desired: Object, live: Object, owned: Fields) -> Iterator[tuple[str, str, Any]]:
    if live.get("immutable"):
        return
    wanted = _values(desired)
    for section in _SECTIONS:
        ours = descend(owned, section) or {}
        for key, value in (live.get(section) or {}).items():
            if f"f:{key}" in ours and key not in wanted:
                yield section, key, value


def _values(obj: Object) -> dict[str, Any]:
    """All keys of both sections: one key stands in one of them only."""
    return {key: value for section in _SECTIONS for key, value in (obj.get(section) or {}).items()}


def _fits(body: Object, missing: list[tuple[str, str, Any]]) -> bool:
    secret = body["kind"] == "Secret"
    present = [(section, value) for section in _SECTIONS for value in (body.get(section) or {}).values()]
    added = [(section, value) for section, _, value in missing]
    return sum(_size(value, secret or section == "binaryData") for section, value in present + added) <= _LARGEST


def _size(value: Any, encoded: bool) -> int:
    data = str(value).encode()
    if not encoded:
        return len(data)
    try:
        return len(base64.b64decode(data))
    except (ValueError, binascii.Error):
        return len(data)
