"""Bytes to documents: YAML, JSON and gzip are read; whatever is ambiguous or broken is named with file and line."""

from __future__ import annotations

import gzip
import json

import pytest

from hook.errors import InvalidInput
from hook.manifests import compression
from hook.manifests.reader import read_documents
from tests.unit.manifests.inputs import FILE, lines_of, values_of


def fault(text: str | bytes, file: str = FILE) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_documents(text.encode() if isinstance(text, str) else text, file)
    return caught.value.message


def test_several_documents_keep_their_order_and_their_lines() -> None:
    text = "# first\na: 1\n---\n\nb: 2\n--- {c: 3}\n"
    assert values_of(text) == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert lines_of(text) == [2, 5, 6]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n---\n# x\n---\n", "~", "null\n", "\ufeff"])
def test_documents_without_content_are_left_out(text: str) -> None:
    assert values_of(text.encode()) == []


def test_a_document_end_may_be_followed_by_another_document() -> None:
    assert values_of("a: 1\n...\n---\nb: 2\n...\n") == [{"a": 1}, {"b": 2}]


def test_text_after_a_document_end_is_refused_where_others_would_lose_it() -> None:
    assert fault("a: 1\n...\nb: 2\n").startswith("deploy.yaml:3: ")


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert values_of(b"\xef\xbb\xbfa: b\r\n---\r\nc: d\r\n") == [{"a": "b"}, {"c": "d"}]


def test_json_documents_back_to_back() -> None:
    text = '{"a": 1}{"b": [1.0, 1e3]}\n{"c": null}'
    assert values_of(text) == [{"a": 1}, {"b": [1, 1000]}, {"c": None}]


def test_json_and_yaml_documents_in_one_stream() -> None:
    text = '{"a": 1}\n---\nb: 2\n---\n{"c": 3}\n'
    assert values_of(text) == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert lines_of(text) == [1, 3, 5]


def test_a_yaml_fault_after_json_documents_has_its_own_line() -> None:
    assert fault('{"a":\n1}\n---\nb: y\n').startswith("deploy.yaml:4: y is")


@pytest.mark.parametrize(
    "text", ['{"a": 1}:b', '{"a": 1} b: 2', '{"a": 1}\nb: 2', '{"a": 1}{b: 2}', "[4]-: 1", '{"a": 1}]']
)
def test_text_behind_a_json_document_is_refused(text: str) -> None:
    assert fault(text).startswith(f"deploy.yaml:{text.count(chr(10)) + 1}: ")


@pytest.mark.parametrize(
    "text", ['{"a": 1} # why\n', '{"a": 1}\n# why', '{"a": 1}\n...\n', '{"a": 1}\n# why\n---\n# x\n']
)
def test_comments_behind_a_json_document_are_none(text: str) -> None:
    assert values_of(text) == [{"a": 1}]


def test_flow_style_that_is_no_json_is_read_as_yaml() -> None:
    assert values_of("{a: 1, b: [x, y2], }") == [{"a": 1, "b": ["x", "y2"]}]


def test_gzip_is_unpacked_also_several_members() -> None:
    assert values_of(gzip.compress(b"a: 1\n") + gzip.compress(b"b: 2\n"), "x.yaml.gz") == [{"a": 1, "b": 2}]


def test_gzip_on_standard_input_is_known_by_its_content() -> None:
    assert values_of(gzip.compress(b"a: 1"), "<stdin>") == [{"a": 1}]


@pytest.mark.parametrize(
    "data",
    [gzip.compress(b"a: 1\n" * 99)[:-9], b"\x1f\x8b" + b"\x00" * 20, gzip.compress(b"a: 1")[:-8] + b"\0" * 8, b"a: 1"],
    ids=["cut", "no header", "wrong checksum", "plain"],  # the bytes hold the time
)
def test_broken_gzip_is_refused(data: bytes) -> None:
    assert fault(data, "x.yaml.gz").startswith("x.yaml.gz: ")


def test_a_gzip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "MAX_SIZE", 1 << 20)
    assert "unpacks to more than 1 MiB" in fault(gzip.compress(b"a" * (1 << 21)), "x.yaml.gz")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "'c' stands twice"),
        ('a: 1\n"a": 2\n', 2, "'a' stands twice"),
        ("1: a\n'1': b\n", 2, "'1' stands twice"),
        ("a:\n- y\n", 2, "y is true or false"),
        ("y: 1\n", 1, "y is true or false"),
        ("on: push\n", 1, "a key that is no text"),
        ("a: 1\n? [x]\n: 2\n", 2, "as a key"),
        ("~: 1\n", 1, "a key that is no text"),
        ("1.5: x\n", 1, "a key that is no text"),
        ("b: &b {x: 1}\na:\n  <<: *b\n", 3, "merge key"),
        ("a: 0755\n", 1, "leading zero"),
        ("a: 1e3\n", 1, "exponent"),
        ("a: .inf\n", 1, "no JSON"),
        ("a: !!binary aGk=\n", 1, "'!!binary'"),
        ("a: !vault secret\n", 1, "'!vault'"),
        ("a: !!set {x}\n", 1, "'!!set'"),
        ("a: !!python/object:os.system x\n", 1, "!!python"),
        ("a: !!int x\n", 1, "!!int"),
        ("a: !!int true\n", 1, "!!int"),
        ("a: *nothing\n", 1, "alias"),
        ("a: &a\n  b: *a\n", 1, "alias inside"),
        ("a: [1, 2\n", 2, "flow sequence"),
        ("a: 'x\n", 2, "quoted scalar"),
        ("a: b\n c: d\n", 2, "mapping values"),
        ("a: b\n\tc: d\n", 2, ""),
        ("a: 1\nb: \x07\n", 2, "control characters"),
        ("a: \x00\n", 1, "control characters"),
        ("a: ü\nb: ü\x01\n", 2, "control characters"),
    ],
)
def test_faulty_yaml_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    message = fault(text)
    assert message.startswith(f"deploy.yaml:{line}: ")
    assert words in message


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{"a": 1,\n "a": 2}', 2, "'a' stands twice"),
        ('{"a": NaN}', 1, "NaN"),
        ('{"a": [1, 2}', 1, "delimiter"),
        ('{"a": 1}\n{"b": 99999999999999999999}', 2, "64 bits"),
        ('{"a": 1e999}', 1, "too large"),
        (r'{"a": "\ud800"}', 1, "surrogate"),
        (r'{"\udc00": 1}', 1, "surrogate"),
        ('{"a":' * 5000, 1, "nested deeper"),
        ("[" * 200 + "]" * 200, 1, "nested deeper"),
    ],
)
def test_faulty_json_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    message = fault(text, "x.json")
    assert message.startswith(f"x.json:{line}: ")
    assert words in message


def test_a_whole_surrogate_pair_in_json_is_a_character() -> None:
    assert values_of(r'{"a": "\ud83d\ude80"}') == [{"a": "\U0001f680"}]


@pytest.mark.parametrize("data", [b"\xff\xfea\x00", b"\xfe\xff\x00a"])
def test_utf16_is_refused_by_name(data: bytes) -> None:
    assert fault(data) == "deploy.yaml:1: is UTF-16; save it as UTF-8"


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    assert fault(b"a: b\nc: \xff\n").startswith("deploy.yaml:2: is no text")


@pytest.mark.parametrize(
    "text",
    [
        "name: {{ .Values.name }}\n",
        "{{- if .Values.on }}\na: b\n{{- end }}\n",
        "a:\n  {{ toYaml .Values.x | nindent 2 }}\n",
        "a:\n{{ range . }}\n- b\n{{ end }}\n",
    ],
)
def test_a_template_that_was_not_rendered_is_called_one(text: str) -> None:
    assert "Render it first" in fault(text)


def test_braces_far_from_a_fault_are_not_blamed() -> None:
    text = 'a: "{{ x }}"\n' + "# filler\n" * 9 + "b: y\n"
    assert "Render it first" not in fault(text)


def test_aliases_are_copies() -> None:
    (value,) = values_of("a: &a {x: [1]}\nb: *a\n")
    assert value == {"a": {"x": [1]}, "b": {"x": [1]}}
    assert value["a"] is not value["b"]
    assert value["a"]["x"] is not value["b"]["x"]


def test_an_alias_bomb_is_refused_quickly() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "aliases that expand" in fault("\n".join(levels))


def test_a_bomb_of_long_texts_is_refused() -> None:
    text = "a: &a " + "x" * 10_000 + "\nb: [" + "*a, " * 5_000 + "]\n"
    assert "aliases that expand" in fault(text)


@pytest.mark.parametrize("text", ["[" * 3000 + "]" * 3000, "- " * 500 + "x", "{a: " * 200 + "1" + "}" * 200])
def test_what_is_nested_too_deeply_is_refused(text: str) -> None:
    assert "nest" in fault(text)


def test_explicit_tags_of_json_types_are_read() -> None:
    (value,) = values_of(
        "a: !!str 12\nb: !!int 3\nc: !!bool true\nd: !!null ~\ne: !!float 1.5\nf: !!map {}\ng: !!seq []\n"
    )
    assert value == {"a": "12", "b": 3, "c": True, "d": None, "e": 1.5, "f": {}, "g": []}


def test_keys_that_are_numbers_or_true_are_text() -> None:
    assert values_of("8080: a\ntrue: b\n") == [{"8080": "a", "true": "b"}]


def test_quoted_scalars_are_text_whatever_they_say() -> None:
    text = "a: 'y'\nb: \"0644\"\nc: '1e3'\nd: 'null'\n\"<<\": x\n"
    assert values_of(text) == [{"a": "y", "b": "0644", "c": "1e3", "d": "null", "<<": "x"}]


def test_block_scalars_keep_what_looks_like_markup() -> None:
    assert values_of("a: |\n  ---\n  {{ x }}\n  y\n") == [{"a": "---\n{{ x }}\ny\n"}]


def test_no_value_of_a_faulty_document_is_shown() -> None:
    for text in ("password: 0112233\n", "password: 4e55555\n", "password: 998877665544332211998877\n"):
        message = fault(text)
        assert not any(digits in message for digits in ("112233", "55555", "998877"))


def test_lines_of_list_items_are_known_in_yaml() -> None:
    (document,) = read_documents(b"kind: List\nitems:\n- a: 1\n\n- b: 2\n", FILE)
    assert [str(document.origin_of_item(i)) for i in range(3)] == ["deploy.yaml:3", "deploy.yaml:5", "deploy.yaml:1"]


def test_a_json_file_with_trailing_text_names_the_line_of_that_text() -> None:
    assert fault(json.dumps({"a": 1}) + "\n\n}", "x.json").startswith("x.json:3: ")
