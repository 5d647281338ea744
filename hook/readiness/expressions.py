"""Expressions in CEL (https://cel.dev) over one object.

The library (cel-expr-python, the extra `cel`) is loaded when the first expression is compiled, not before.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from hook.errors import InvalidInput

# What an expression may name: the top-level fields of objects. A name that is none of these is taken for a slip
# and refused when the rule is read; `self` is the object, for fields that are not listed here.
_TOP_LEVEL: Final = (
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
    "self",
    "data",
    "binaryData",
    "stringData",
    "immutable",
    "rules",
    "subjects",
    "roleRef",
    "webhooks",
    "parameters",
    "provisioner",
    "value",
    "results",
    "summary",
    "scope",
    "template",
)

_POSITION: Final = re.compile(r"<input>:(\d+):(\d+): (.*)")


class Undecided(Exception):
    """An expression has no answer for this object, mostly because a field is not there yet."""


class Expression:
    """A compiled expression that is true or false of an object."""

    __slots__ = ("_program", "source")

    def __init__(self, source: str, where: str) -> None:
        """`where` says for people where the expression stands.

        Raises InvalidInput, with line and column, if it does not compile, names what no object has, or cannot be
        true or false; also if the library is not installed.
        """
        self.source = source
        environment = _environment(where)
        try:
            self._program = environment.compile(source)
        except (RuntimeError, ValueError) as error:
            raise InvalidInput(f"{where}: {_explained(str(error))}", [f"in: {source}"]) from None
        result = self._program.return_type().name()
        if result not in ("BOOL", "DYN"):
            raise InvalidInput(
                f"{where}: line 1, column 1: the expression is a {result}, and has to be true or false",
                [f"in: {source}"],
            )

    def holds(self, obj: Mapping[str, Any]) -> bool:
        """Whether it is true of the object; raises Undecided if it is neither true nor false."""
        data = {name: obj[name] for name in _TOP_LEVEL if name in obj}
        data["self"] = obj
        try:
            value = self._program.eval(data=data)
            result = value.plain_value()
            kind = value.type().name()
        except (RuntimeError, ValueError, TypeError, OverflowError) as error:
            raise Undecided(_first_line(str(error))) from None
        if not isinstance(result, bool):
            raise Undecided(_first_line(str(result)) if kind == "ERROR" else f"it is a {kind}, not true or false")
        return result


@lru_cache(maxsize=1)
def _load() -> Any:
    cel = importlib.import_module("cel_expr_python.cel")
    optional = importlib.import_module("cel_expr_python.ext.ext_optional").ExtOptional()
    strings = importlib.import_module("cel_expr_python.ext.ext_strings").ExtStrings()
    return cel.NewEnv(variables=dict.fromkeys(_TOP_LEVEL, cel.Type.DYN), extensions=[optional, strings])


def _environment(where: str) -> Any:
    try:
        return _load()
    except ImportError:
        raise InvalidInput(
            f"{where}: rules of one's own need the CEL library: install handoff with its extra `cel`"
        ) from None


def _explained(error: str) -> str:
    found = _POSITION.search(error)
    if found is None:
        return _first_line(error)
    line, column, message = found.groups()
    message = message.removesuffix(" [INVALID_ARGUMENT]").removesuffix(" (in container '')")
    hint = f" (known are {', '.join(_TOP_LEVEL)})" if message.startswith("undeclared reference") else ""
    return f"line {line}, column {column}: {message}{hint}"


def _first_line(error: str) -> str:
    """The library's `NOT_FOUND: Key not found in map : "foo"` without its code."""
    line = error.strip().split("\n", 1)[0]
    return re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", line)
