"""Numbers as JSON on the way to an API server can carry them."""

from __future__ import annotations

import math

# What Go reads without loss: int64 where it is signed, uint64 where it is not.
_SMALLEST = -(2**63)
_GREATEST = 2**64 - 1
_LONGEST = 400  # characters; beyond that no double and no 64 bit integer needs to be tried


class NotExact(ValueError):
    """The number cannot be kept as it was written. Its text tells why and never quotes the number."""


def read_integer(digits: str, base: int = 10) -> int:
    """The integer; raises NotExact outside of 64 bits."""
    number = int(digits, base) if len(digits) <= _LONGEST else _GREATEST + 1
    if not _SMALLEST <= number <= _GREATEST:
        raise NotExact("a number that does not fit in 64 bits; quote it if it is text")
    return number


def read_decimal(digits: str) -> int | float:
    """The number; a whole one becomes an int (Go writes `1.0` as `1`). Raises NotExact for what is not finite."""
    number = float(digits) if len(digits) <= _LONGEST else math.inf
    if not math.isfinite(number):
        raise NotExact("a number too large for JSON; quote it if it is text")
    return int(number) if number.is_integer() and _SMALLEST <= number <= _GREATEST else number
