"""The component that is handed over, `examples/shop`: its two versions and what each of them lists."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hook.manifests.identity import Identity
from hook.manifests.load import load
from hook.manifests.sources import read_sources

NAME = "shop"
EXAMPLE = Path(__file__).parents[1] / "examples" / NAME


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the shop."""

    name: str

    @property
    def source(self) -> Path:
        return EXAMPLE / self.name

    @property
    def objects(self) -> dict[Identity, dict[str, Any]]:
        return _objects(self.source)

    def shared_with(self, other: Version) -> list[dict[str, Any]]:
        """The objects that both versions have."""
        return [obj for identity, obj in self.objects.items() if identity in other.objects]

    def without(self, other: Version) -> list[dict[str, Any]]:
        """The objects that the other one has not."""
        return [obj for identity, obj in self.objects.items() if identity not in other.objects]


@cache
def _objects(source: Path) -> dict[Identity, dict[str, Any]]:
    return {item.identity: item.obj for item in load(read_sources([str(source)], io.BytesIO()).documents).items}


V1, V2 = Version("v1"), Version("v2")
