"""One resource that the input asks for, and one that it holds but that is not installed now."""

from __future__ import annotations

from dataclasses import dataclass

from hook.manifests.identity import Identity, Object
from hook.manifests.origin import Origin


@dataclass(frozen=True, slots=True)
class Manifest:
    """`obj` is checked and cleaned; nobody changes it. `version` is that of its apiVersion."""

    obj: Object
    identity: Identity
    version: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`why` names the mark that keeps the object from being installed now."""

    identity: Identity
    origin: Origin
    why: str
