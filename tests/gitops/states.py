"""Waiting for what a tool says about itself, with its last words when it does not come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import yaml

Object = dict[str, Any]

# What a quiet machine does in ten seconds may take a busy one minutes.
PATIENCE = 240.0


def await_state(
    read: Callable[[], Object],
    holds: Callable[[Object], bool],
    what: str,
    *,
    timeout: float = PATIENCE,
    explain: Callable[[], str] = str,
) -> Object:
    """The first object read for which `holds` is true. Raises AssertionError with its last status, explained."""
    deadline = time.monotonic() + timeout
    while True:
        found = read()
        if holds(found):
            return found
        if time.monotonic() > deadline:
            status = yaml.safe_dump(found.get("status"))
            raise AssertionError(f"{what}: not so after {timeout:g} s\n{status}{explain()}")
        time.sleep(0.2)


def condition(obj: Object, kind: str) -> Object:
    """A condition of an object's status; an empty mapping where there is none of that kind."""
    conditions: list[Object] = (obj.get("status") or {}).get("conditions") or []
    return next((one for one in conditions if one["type"] == kind), {})
