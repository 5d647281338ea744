"""Objects that a setting names: `KIND/NAME`."""

from __future__ import annotations

from collections.abc import Collection

from hook.manifests.identity import Identity


def names(entries: Collection[str], identity: Identity) -> bool:
    """Whether one of the entries names the object.

    `Kind/name`, or `Kind.group/name` where two groups have the kind; the kind in any case (`deployment/web`).
    """
    for entry in entries:
        kind, _, name = entry.partition("/")
        if name == identity.name and kind.lower() in (identity.kind.lower(), str(identity.of_kind).lower()):
            return True
    return False
