"""Durations as Go writes them: `90s`, `1h30m`, `500ms`."""

from __future__ import annotations

import re

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PIECE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ms|us|µs|ns|h|m|s)")


def parse_duration(text: str) -> float:
    """Seconds; raises ValueError for anything that Go's time.ParseDuration refuses, and for less than zero.

    Source of the form: https://pkg.go.dev/time#ParseDuration
    """
    if text == "0":
        return 0.0
    pieces = _PIECE.findall(text)
    if not pieces or "".join(number + unit for number, unit in pieces) != text:
        raise ValueError(f"{text!r} is not a duration such as 90s, 10m or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in pieces)
