"""Bytes of one file → documents, or one clear error with file and line."""

from __future__ import annotations

import codecs
import re

from hook.errors import InvalidInput
from hook.manifests.compression import unpacked
from hook.manifests.document import Document
from hook.manifests.json_stream import JsonFault, read_json
from hook.manifests.yaml_stream import YamlFault, read_yaml

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Between a JSON document and a YAML one.
_SEPARATED = re.compile(r"(?:\s|#[^\n]*(?:\n|\Z))*(?:---(?=\s|\Z)|\Z)")
_NEAR = 2  # lines around a fault in which braces of a template may be its cause


def read_documents(data: bytes, file: str) -> list[Document]:
    """The documents in a file, in its order: YAML, JSON, or JSON back to back; gzip is unpacked.

    `file` is the name for errors (one that ends in `.gz` must be gzip). Empty documents are left out. Raises
    InvalidInput, naming file and line, for what is no text, no YAML or JSON, or ambiguous (see scalars and
    yaml_stream).
    """
    text = _decoded(unpacked(data, file), file)
    documents, position, json_fault = read_json(text, file)
    if position == len(text):
        return documents
    first_line = text.count("\n", 0, position) + 1
    if documents and not _SEPARATED.match(text, position):
        problem = json_fault.problem if json_fault else "text behind a JSON document; documents are separated by `---`"
        raise _refusal(text, file, (problem, json_fault.line if json_fault else _next_line(text, position)))
    try:
        documents.extend(read_yaml(text[position:], file, first_line))
    except YamlFault as fault:
        raise _refusal(text, file, _of_both(fault.problem, fault.line + first_line - 1, json_fault, file)) from None
    if json_fault is not None and json_fault.is_json:
        raise _refusal(text, file, (json_fault.problem, json_fault.line))
    return documents


def _of_both(problem: str, line: int, json_fault: JsonFault | None, file: str) -> tuple[str, int]:
    """What to tell about a text that is neither JSON nor YAML: the YAML reader knows lines, not always the cause."""
    if json_fault is None or json_fault.problem == problem:
        return problem, line
    if json_fault.is_json or file.lower().removesuffix(".gz").endswith(".json"):
        return json_fault.problem, json_fault.line
    return problem, line


def _next_line(text: str, position: int) -> int:
    """The line of the first character behind white space."""
    return text.count("\n", 0, len(text) - len(text[position:].lstrip())) + 1


def _refusal(text: str, file: str, fault: tuple[str, int]) -> InvalidInput:
    problem, line = fault
    return InvalidInput(f"{file}:{line}: {problem}{_hint(text, line)}")


def _decoded(data: bytes, file: str) -> str:
    if data.startswith(_UTF16):
        raise InvalidInput(f"{file}:1: is UTF-16; save it as UTF-8")
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{file}:{line}: is no text (bytes that are not UTF-8); only manifests belong here"
        ) from None


def _hint(text: str, line: int) -> str:
    lines = text.splitlines()
    near = lines[max(0, line - 1 - _NEAR) : line + _NEAR]
    if any("{{" in one for one in near) or any(one.lstrip().startswith("{{") for one in lines):
        return " (`{{`: is it a template? Render it first, e.g. with `helm template`)"
    return ""
