"""How long an object of its own asks to be waited for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.durations import parse_duration
from hook.manifests.annotations import TIMEOUT
from hook.readiness.annotations import annotation
from hook.readiness.fields import OddField


def time_limit(manifest: Mapping[str, Any]) -> float | None:
    """Seconds of the annotation `installersets.io/timeout`; None where there is none.

    One that is no duration counts as none here: it is refused when the input is read.
    """
    try:
        value = annotation(manifest, TIMEOUT)
        return None if value is None else parse_duration(value)
    except (OddField, ValueError):
        return None
