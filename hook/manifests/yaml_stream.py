"""YAML documents, read strictly: what two readers of YAML would read differently is refused with its line.

LibYAML composes the nodes; the values are built here, because PyYAML's own constructors keep the last of two equal
keys, make dates of dates and share what is aliased.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from hook.manifests.document import Document
from hook.manifests.origin import Origin
from hook.manifests.scalars import Ambiguous, is_string, read_plain

MAX_DEPTH = 128  # nested mappings and lists; the deepest schemas of real CRDs have 35

# Aliases are copied, as kubectl does. These bound what copies may add to one document.
_MAX_COPIED_NODES = 100_000
_MAX_COPIED_TEXT = 10_000_000
_LONG_TEXT = 256

_PREFIX = "tag:yaml.org,2002:"
# For nodes without a tag. No text can spell these: a NUL is not allowed in YAML.
_STRING = "\0string"
_PLAIN = "\0plain"
_MAP = "\0map"
_SEQUENCE = "\0sequence"
_MAP_TAGS = frozenset({_MAP, f"{_PREFIX}map"})
_SEQUENCE_TAGS = frozenset({_SEQUENCE, f"{_PREFIX}seq"})
_TYPED: dict[str, type | tuple[type, ...]] = {
    f"{_PREFIX}null": type(None),
    f"{_PREFIX}bool": bool,
    f"{_PREFIX}int": int,
    f"{_PREFIX}float": (int, float),
}


class YamlFault(Exception):
    """What is wrong, and the line (from 1, within the text that was read)."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


def read_yaml(text: str, file: str, first_line: int = 1) -> Iterator[Document]:
    """The documents of a YAML stream, without empty ones; `first_line` is the line of the text's first character.

    Raises YamlFault for everything else.
    """
    loader = _Nodes(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            value = _Builder().build(node) if node is not None else None
            if node is not None and value is not None:
                lines = tuple(line + first_line for line in _item_lines(node))
                yield Document(value, Origin(file, node.start_mark.line + first_line), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlFault(_problem(error), mark.line + 1 if mark else 1) from None
    except yaml.reader.ReaderError as error:
        raise YamlFault(f"is no YAML text: {error.reason}", text.count("\n", 0, _position(text, error)) + 1) from None
    finally:
        loader.dispose()


class _Nodes(yaml.CSafeLoader):
    """Composes nodes; tags tell how a scalar was written instead of guessing what it is."""

    def resolve(self, kind: type, value: Any, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] and not is_string(value) else _STRING
        return _MAP if kind is yaml.MappingNode else _SEQUENCE

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """No rules by path are used."""

    def ascend_resolver(self) -> None:
        """No rules by path are used."""


class _Builder:
    """Values from the nodes of one document."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._copied_nodes = 0
        self._copied_text = 0

    def build(self, node: yaml.Node, depth: int = 0) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if depth >= MAX_DEPTH:
            raise YamlFault(f"nested deeper than {MAX_DEPTH} levels", _line(node))
        identity = id(node)
        if identity in self._open:
            raise YamlFault("an alias inside of what it stands for", _line(node))
        if identity in self._seen:
            self._copied_nodes += len(node.value)
            self._check_copies(node)
        self._seen.add(identity)
        self._open.add(identity)
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node, depth + 1)
        else:
            if node.tag not in _SEQUENCE_TAGS:
                raise _foreign_tag(node)
            value = [self.build(item, depth + 1) for item in node.value]
        self._open.discard(identity)
        return value

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        if node.tag not in _MAP_TAGS:
            raise _foreign_tag(node)
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if key_node.tag == _STRING else _key(key_node)
            if key in result:
                raise YamlFault(f"the key {_shown(key)} stands twice in one mapping", _line(key_node))
            result[key] = self.build(value_node, depth)
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = node.value
        if len(text) > _LONG_TEXT:
            if id(node) in self._seen:
                self._copied_text += len(text)
                self._check_copies(node)
            self._seen.add(id(node))
        return text if node.tag == _STRING else _value(node)

    def _check_copies(self, node: yaml.Node) -> None:
        if self._copied_nodes > _MAX_COPIED_NODES or self._copied_text > _MAX_COPIED_TEXT:
            raise YamlFault("aliases that expand to more than any manifest needs", _line(node))


def _value(node: yaml.ScalarNode) -> Any:
    if node.tag == f"{_PREFIX}str":
        return str(node.value)
    wanted = _TYPED.get(node.tag)
    if node.tag != _PLAIN and wanted is None:
        raise _foreign_tag(node)
    try:
        value = read_plain(node.value)
    except Ambiguous as error:
        raise YamlFault(str(error), _line(node)) from None
    if wanted is not None and (not isinstance(value, wanted) or (wanted is not bool and isinstance(value, bool))):
        raise YamlFault(f"the value is not what its tag {node.tag.replace(_PREFIX, '!!')} says", _line(node))
    return value


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise YamlFault("a mapping or a list as a key", _line(node))
    if node.tag == _PLAIN and node.value == "<<":
        raise YamlFault("a merge key (<<): readers of YAML disagree about it; write the fields out", _line(node))
    key = _value(node)
    if isinstance(key, str):
        return key
    if isinstance(key, bool) and node.value in ("true", "false"):
        return str(node.value)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    raise YamlFault("a key that is no text; quote it", _line(node))


def _item_lines(node: yaml.Node) -> list[int]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "items" and isinstance(value, yaml.SequenceNode):
                return [item.start_mark.line for item in value.value]
    return []


def _foreign_tag(node: yaml.Node) -> YamlFault:
    tag = node.tag.replace(_PREFIX, "!!")
    return YamlFault(f"the tag {_shown(tag)} is not one that manifests can have", _line(node))


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _shown(key: str) -> str:
    return repr(key if len(key) <= 80 else key[:77] + "...")


def _problem(error: yaml.MarkedYAMLError) -> str:
    if error.problem and "document start" in error.problem:
        return "more text where the document has ended; documents are separated by a line `---`"
    return ": ".join(part for part in (error.context, error.problem) if part)


def _position(text: str, error: yaml.reader.ReaderError) -> int:
    position = int(error.position) if isinstance(error.position, int) else 0
    return len(text.encode("utf-8", "surrogatepass")[:position].decode("utf-8", "ignore"))
