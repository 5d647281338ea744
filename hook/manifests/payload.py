"""The data of ConfigMaps and Secrets, which the API server would refuse late, or quote in its answer."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from hook.manifests.identity import Kind, Object
from hook.manifests.names import fault_of_data_key

CONFIG_MAP = Kind("", "ConfigMap")
SECRET = Kind("", "Secret")


def payload_faults(kind: Kind, obj: Object) -> list[str]:
    """One text for each fault: the path of the key, and what is wrong with it. Never a value."""
    if kind == CONFIG_MAP:
        faults = _map("data", obj.get("data"), _text) + _map("binaryData", obj.get("binaryData"), _base64)
        both = set(obj.get("data") or ()) & set(obj.get("binaryData") or ()) if not faults else set()
        return faults + [f"data[{key!r}]: is in binaryData too" for key in sorted(both)]
    if kind == SECRET:
        return _map("data", obj.get("data"), _base64) + _map("stringData", obj.get("stringData"), _text)
    return []


def merge_string_data(secret: Object) -> None:
    """Make a Secret's `stringData` `data`, in place; it wins over a key that both have.

    As the API server does it, but before the apply: else the fields in `data` had no owner, and a key that left the
    manifest stayed for ever.
    """
    plain = secret.pop("stringData", None)
    if plain:
        coded = {key: base64.b64encode(text.encode()).decode() for key, text in plain.items()}
        secret["data"] = {**(secret.get("data") or {}), **coded}


def _map(path: str, value: Any, fault_of: Callable[[Any], str | None]) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, dict):
        return [f"{path}: must be a mapping"]
    faults = []
    for key, one in value.items():
        fault = fault_of_data_key(key) or (fault_of(one) if one is not None else None)
        if fault:
            faults.append(f"{path}[{key!r}]: {fault}")
    return faults


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) else "must be text; quote it"


def _base64(value: Any) -> str | None:
    if not isinstance(value, str):
        return "must be base64 text"
    try:
        base64.b64decode(value.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        return "is no base64"
    return None
