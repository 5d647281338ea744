"""The annotations of our own that people may write on an object, and which values they take."""

from __future__ import annotations

from hook.durations import parse_duration

PREFIX = "installersets.io/"

RECREATE = f"{PREFIX}recreate"
PRUNE = f"{PREFIX}prune"
SHARE = f"{PREFIX}share"
TIMEOUT = f"{PREFIX}timeout"
WAIT_FOR = f"{PREFIX}wait-for"
READY_WHEN = f"{PREFIX}ready-when"
# Stands on the CRD of InstallerSets itself, which may be delivered like any other manifest.
CRD_VERSION = f"{PREFIX}crd-version"

_ALLOWED: dict[str, frozenset[str]] = {
    RECREATE: frozenset({"allowed"}),
    PRUNE: frozenset({"disabled"}),
    SHARE: frozenset({"allowed"}),
}
_WAIT_FOR = frozenset({"endpoints", "load-balancer"})
_KNOWN = (RECREATE, PRUNE, SHARE, TIMEOUT, WAIT_FOR, READY_WHEN)


def fault_of_annotation(key: str, value: str) -> str | None:
    """What is wrong with an annotation under our prefix, or None.

    A misspelt protection would protect nothing, and nobody would notice before the object is gone: so an unknown
    key or value is bad input. Whether a `ready-when` compiles is for the rules to say.
    """
    if not key.startswith(PREFIX) or key == CRD_VERSION:
        return None
    if key not in _KNOWN:
        return f"is no annotation of ours; known: {', '.join(_KNOWN)}"
    if key in _ALLOWED and value not in _ALLOWED[key]:
        return f"must be {' or '.join(sorted(_ALLOWED[key]))}"
    if key == WAIT_FOR and not (_words(value) and _words(value) <= _WAIT_FOR):
        return f"must be {' or '.join(sorted(_WAIT_FOR))} (both: separated by a comma)"
    if key == READY_WHEN and not value.strip():
        return "must be a CEL expression"
    if key == TIMEOUT:
        try:
            parse_duration(value)
        except ValueError:
            return "must be a duration such as 90s, 10m or 1h30m"
    return None


def _words(value: str) -> frozenset[str]:
    return frozenset(word.strip() for word in value.split(",") if word.strip())
