"""Files out of a ConfigMap, read by name."""

from __future__ import annotations

import base64
import binascii

from hook.cluster.answers import ApiError, Cause
from hook.cluster.objects import Objects
from hook.cluster.resource_type import CONFIG_MAP
from hook.errors import InvalidInput


def read_config_map(objects: Objects, namespace: str, name: str) -> dict[str, bytes]:
    """Key → content, of `data` and `binaryData`.

    Raises InvalidInput where it does not exist or is being deleted, and ApiError.
    """
    shown = f"ConfigMap {namespace}/{name}"
    try:
        found = objects.get(CONFIG_MAP, namespace, name)
    except ApiError as error:
        if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            raise InvalidInput(f"{shown}: does not exist; it is the input: create it first") from None
        raise
    if found["metadata"].get("deletionTimestamp"):
        raise InvalidInput(f"{shown}: is being deleted; it is the input")
    files = {key: str(text).encode() for key, text in (found.get("data") or {}).items()}
    for key, packed in (found.get("binaryData") or {}).items():
        try:
            files[key] = base64.b64decode(packed, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise InvalidInput(f"{shown}: binaryData {key} is no base64") from None
    return files
