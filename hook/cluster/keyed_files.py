"""Files out of a ConfigMap or a Secret, read by name."""

from __future__ import annotations

import base64
import binascii

from hook.cluster.answers import ApiError, Cause
from hook.cluster.objects import Objects
from hook.cluster.resource_type import CONFIG_MAP, SECRET
from hook.errors import InvalidInput
from hook.manifests.identity import Kind


def read_keyed_files(objects: Objects, kind: Kind, namespace: str, name: str) -> dict[str, bytes]:
    """Key → content, of `data` and `binaryData`.

    Raises InvalidInput where it does not exist or is being deleted, and ApiError.
    """
    shown = f"{kind.kind} {namespace}/{name}"
    found_type = SECRET if kind == SECRET.of_kind else CONFIG_MAP
    try:
        found = objects.get(found_type, namespace, name)
    except ApiError as error:
        if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            raise InvalidInput(f"{shown}: does not exist; it is the input: create it first") from None
        raise
    if found["metadata"].get("deletionTimestamp"):
        raise InvalidInput(f"{shown}: is being deleted; it is the input")
    texts = {} if found_type is SECRET else found.get("data") or {}
    packed = found.get("data" if found_type is SECRET else "binaryData") or {}
    files = {key: str(text).encode() for key, text in texts.items()}
    for key, value in packed.items():
        try:
            files[key] = base64.b64decode(value, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise InvalidInput(f"{shown}: the value of {key} is no base64") from None
    return files
