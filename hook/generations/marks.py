"""The names that a component leaves on what it owns: owner mark, applied digest, field manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

API_GROUP = "installersets.io"
OWNER_PREFIX = f"owner.{API_GROUP}/"
APPLIED_PREFIX = f"applied.{API_GROUP}/"
MANAGER_PREFIX = "handoff:"
CARRY_SEPARATOR = ".carry-"


def owner_label(component: str) -> str:
    """Key of the owner mark; its value is the namespace of the component's sets."""
    return OWNER_PREFIX + component


def applied_annotation(component: str) -> str:
    """Key of the applied digest; its value is `<digest>` or `<digest>.carry-<digest of what was carried>`."""
    return APPLIED_PREFIX + component


def applied_value(digest: str, carried: str = "") -> str:
    return f"{digest}{CARRY_SEPARATOR}{carried}" if carried else digest


def field_manager(namespace: str, component: str) -> str:
    return f"{MANAGER_PREFIX}{namespace}:{component}"


def owners(metadata: Mapping[str, Any]) -> dict[str, str]:
    """All owner marks on an object's metadata: component → namespace of its sets."""
    labels = metadata.get("labels") or {}
    return {key[len(OWNER_PREFIX) :]: value for key, value in labels.items() if key.startswith(OWNER_PREFIX)}


def owned_by(metadata: Mapping[str, Any], component: str, namespace: str) -> bool:
    return owners(metadata).get(component) == namespace
