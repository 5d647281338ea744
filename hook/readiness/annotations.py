"""The annotations on an object that speak of its readiness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hook.manifests.annotations import WAIT_FOR
from hook.readiness.fields import mapping, text

ENDPOINTS: Final = "endpoints"
LOAD_BALANCER: Final = "load-balancer"


def annotation(obj: Mapping[str, Any], name: str) -> str | None:
    """The value of an annotation; None if it is absent."""
    annotations = mapping(mapping(obj, "metadata"), "annotations", "metadata")
    return text(annotations, name, "metadata.annotations") if annotations.get(name) is not None else None


def wait_for(obj: Mapping[str, Any]) -> frozenset[str]:
    """What the object asks to be waited for, as written (comma-separated)."""
    value = annotation(obj, WAIT_FOR) or ""
    return frozenset(word for part in value.split(",") if (word := part.strip()))
