"""Digests of manifests: equal exactly where what they ask for is equal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from hook.manifests.identity import Object
from hook.manifests.manifest import Manifest

# Goes into every digest of a generation: a canonical form that changed must never be taken for another input.
FORMAT_VERSION = "1"


def canonical(obj: Object) -> bytes:
    """The object as JSON in UTF-8, keys sorted, without white space."""
    return json.dumps(obj, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest_object(obj: Object) -> str:
    """sha256 over the canonical form, 64 hex digits."""
    return hashlib.sha256(canonical(obj)).hexdigest()


def digest_manifests(items: Iterable[Manifest], target_namespace: str) -> str:
    """The digest of a generation, 64 hex digits: its manifests as loaded (not placed yet), and the target namespace.

    Independent of the order of documents and of file names. Taken before namespaces are filled in, since whether a kind
    is namespaced may be known to the cluster only, and the digest has to be known offline.
    """
    total = hashlib.sha256(f"{FORMAT_VERSION}\n{target_namespace}\n".encode())
    for manifest in sorted(items, key=lambda one: one.identity):
        total.update(canonical(manifest.obj))
        total.update(b"\n")
    return total.hexdigest()
