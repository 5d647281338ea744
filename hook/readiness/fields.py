"""Reading fields of objects that may have any shape.

A field that is absent or null is absent; one of another type than the API gives it is odd. Odd fields raise
OddField, which only `assess` catches: an odd object is in progress, never ready and never an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class OddField(Exception):
    """A field does not have the type that the API gives it; the message names its path and what was found."""


def mapping(parent: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
    """The mapping at `key`; {} if absent or null. `path` is the parent's, for the message."""
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a mapping")
    return value


def sequence(parent: Mapping[str, Any], key: str, path: str = "") -> list[Any]:
    """The list at `key`; [] if absent or null."""
    value = parent.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a list")
    return value


def mappings(parent: Mapping[str, Any], key: str, path: str = "") -> list[Mapping[str, Any]]:
    """The list of mappings at `key`; [] if absent or null."""
    values = sequence(parent, key, path)
    for index, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise OddField(f"{_join(path, key)}[{index}] is {_name(value)}, not a mapping")
    return values


def text(parent: Mapping[str, Any], key: str, path: str = "") -> str:
    """The string at `key`; "" if absent or null."""
    value = parent.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a string")
    return value


def flag(parent: Mapping[str, Any], key: str, path: str = "") -> bool:
    """The boolean at `key`; False if absent or null."""
    value = parent.get(key)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a boolean")
    return value


def count(parent: Mapping[str, Any], key: str, default: int, path: str = "") -> int:
    """A number of things at `key`: a whole number, not negative; `default` if absent or null."""
    value = parent.get(key)
    if value is None:
        return default
    number = _whole(value)
    if number is None or number < 0:
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a number of 0 or more")
    return number


def generation(parent: Mapping[str, Any], key: str, path: str = "") -> int | None:
    """A generation at `key`; None if absent or null.

    Some controllers publish it as text (Argo Rollouts): a decimal string is a number.
    """
    value = parent.get(key)
    if value is None:
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    number = _whole(value)
    if number is None:
        raise OddField(f"{_join(path, key)} is {_name(value)}, not a number")
    return number


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _name(value: Any) -> str:
    """What was found, without quoting values that could be long or secret."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return "text"
        case int() | float():
            return "the number " + repr(value)[:24]
        case list():
            return "a list"
        case _:
            return "a mapping" if isinstance(value, Mapping) else type(value).__name__
