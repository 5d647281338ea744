"""Tekton Pipelines of the corpus as a component: its releases, and the command that brings one of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.corpus import corpus, objects_of

COMPONENT = "tekton-pipelines"
NAMESPACE = "default"  # of its sets
OLD, NEW = "v0.58.0", "v1.2.0"


def release(version: str) -> Path:
    """The manifest file of one release; skips the test where there is none."""
    return corpus("tekton-pipeline", version)


def objects(version: str) -> list[dict[str, Any]]:
    """Its objects."""
    return objects_of(release(version))


def command(version: str, *options: str, name: str = "run") -> list[str]:
    """The arguments of `handoff` for one release."""
    source = ("--source", str(release(version)), "--version", version)
    return [name, *source, "--component", COMPONENT, "--namespace", NAMESPACE, *options]
