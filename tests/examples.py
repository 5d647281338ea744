"""The components in `examples/`, in two versions each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cluster.locations import REPOSITORY
from tests.corpus import objects_of


def example(name: str, version: str) -> Path:
    """The directory of one version, such as `example("shop", "v1")`."""
    return REPOSITORY / "examples" / name / version


def objects_in(directory: Path) -> list[dict[str, Any]]:
    """All objects of a directory of manifests."""
    return [item for file in sorted(directory.glob("*.yaml")) for item in objects_of(file)]
