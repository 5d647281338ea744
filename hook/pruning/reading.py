"""What one live read of a candidate said. Absent, removed, unknown and forbidden are four different answers."""

from __future__ import annotations

from dataclasses import dataclass

from hook.manifests.identity import Object


@dataclass(frozen=True, slots=True)
class Present:
    """200: the object's metadata, and the served version that it was read at."""

    metadata: Object
    version: str


@dataclass(frozen=True, slots=True)
class Absent:
    """404, and its Status names the object."""


@dataclass(frozen=True, slots=True)
class ApiRemoved:
    """404 of the path, with the group gone from fresh discovery, no CRD and no APIService that would serve it."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything that is neither there nor gone: 5xx, stale discovery, a group whose CRD still stands."""

    why: str


@dataclass(frozen=True, slots=True)
class Forbidden:
    """403 of the authorizer on the read, or a refused DELETE."""

    why: str


LiveRead = Present | Absent | ApiRemoved | Unknown | Forbidden
