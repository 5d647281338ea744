"""JSON documents, one after the other, as a stream of manifests may be written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from hook.manifests.document import Document
from hook.manifests.numbers import NotExact, read_decimal, read_integer
from hook.manifests.origin import Origin
from hook.manifests.yaml_stream import MAX_DEPTH

_BETWEEN = re.compile(r"(?:\s|(?<![^\n])(?:---|\.\.\.)(?=\s|\Z))*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class JsonFault:
    """Why reading ended, and the line (from 1).

    Without `is_json` the text may be YAML in flow style. With it, it is JSON whose values cannot be kept; the line is
    then that of the document.
    """

    problem: str
    line: int
    is_json: bool


def read_json(text: str, file: str) -> tuple[list[Document], int, JsonFault | None]:
    """The JSON documents that the text begins with.

    Returns them, the position behind the last one, and why reading ended there: None at the end of the text, or where
    no JSON mapping or list begins (what follows may be YAML).
    """
    documents: list[Document] = []
    position = 0
    line = 1
    while True:
        start = _skip(text, position)
        if start == len(text):
            return documents, start, None
        if text[start] not in "{[":
            return documents, position, None
        line += text.count("\n", position, start)
        try:
            value, end = _DECODER.raw_decode(text, start)
            _check(value, text[start:end])
        except json.JSONDecodeError as error:
            at = line + text.count("\n", start, error.pos)
            return documents, position, JsonFault(f"no JSON: {error.msg}", at, is_json=False)
        except RecursionError:
            return documents, position, JsonFault(f"nested deeper than {MAX_DEPTH} levels", line, is_json=True)
        except NotExact as error:
            return documents, position, JsonFault(str(error), line, is_json=True)
        documents.append(Document(value, Origin(file, line)))
        line += text.count("\n", start, end)
        position = end


def _skip(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    return found.end() if found else position


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in {other for other, _ in pairs[:i]})
        raise NotExact(f"the key {twice[:80]!r} stands twice in one mapping")
    return result


def _constant(name: str) -> Any:
    raise NotExact(f"{name} is no JSON")


def _check(value: Any, text: str) -> None:
    """Bound the depth, and refuse half of a surrogate pair, which is no character."""
    level = [value]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            raise NotExact(f"nested deeper than {MAX_DEPTH} levels")
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, (dict, list))
        ]
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise NotExact(r"half of a surrogate pair (\ud8..) is no character") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_mapping, parse_float=read_decimal, parse_int=read_integer, parse_constant=_constant
)
