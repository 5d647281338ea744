"""One thing that is kept for the old generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kept:
    """`line` is for people and holds no secret; `value` (JSON) enters the digest of what is carried."""

    line: str
    value: Any = None
