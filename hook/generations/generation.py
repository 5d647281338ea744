"""A generation: the desired manifests of a component under one digest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from hook.errors import InvalidInput
from hook.manifests.digest import digest_manifests
from hook.manifests.identity import Identity, Kind
from hook.manifests.load import Manifests, place
from hook.manifests.manifest import LeftOut, Manifest
from hook.manifests.parts import Part, part_of

_COMPONENT = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?")
SHORT = 12  # hex digits of the digest in names and labels


@dataclass(frozen=True, slots=True)
class Generation:
    """`digest` is 64 hex digits; `version` is shown to people and never compared."""

    component: str
    version: str
    digest: str
    target_namespace: str
    manifests: tuple[Manifest, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def short(self) -> str:
        return self.digest[:SHORT]

    @property
    def identities(self) -> frozenset[Identity]:
        return frozenset(manifest.identity for manifest in self.manifests)

    def part(self, part: Part) -> tuple[Manifest, ...]:
        return tuple(m for m in self.manifests if part_of(m.identity.of_kind) is part)

    def placed(self, namespaced: Callable[[Kind], bool | None]) -> Generation:
        """The same generation with the target namespace filled in where `namespaced` answers True.

        The digest stays: it is taken before placing, so that it can be known offline.
        Raises InvalidInput when two manifests turn out to name the same resource.
        """
        items = place(self.manifests, self.target_namespace, namespaced)
        return replace(self, manifests=items)


def check_component(name: str) -> str:
    """Return the name if it is a DNS label of at most 40 characters; else raise InvalidInput."""
    if not _COMPONENT.fullmatch(name):
        raise InvalidInput(
            f"component {name!r}: must be a DNS label of at most 40 characters (a-z, 0-9 and -, no - at the ends)"
        )
    return name


def generation_of(component: str, version: str, target_namespace: str, loaded: Manifests) -> Generation:
    """The generation that these manifests make; raises InvalidInput for a bad component name."""
    return Generation(
        component=check_component(component),
        version=version,
        digest=digest_manifests(loaded.items, target_namespace),
        target_namespace=target_namespace,
        manifests=loaded.items,
        left_out=loaded.left_out,
    )
