"""Directories, files and standard input: which files count, and what is refused about them."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from hook.errors import InvalidInput
from hook.manifests.sources import Source, read_sources, read_tree


def write(top: Path, **files: str) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def read(*specs: object, stdin: bytes = b"") -> Source:
    return read_sources([str(spec) for spec in specs], io.BytesIO(stdin))


def values(source: Source) -> list[object]:
    return [document.value for document in source.documents]


def fault(*specs: object, stdin: bytes = b"") -> str:
    with pytest.raises(InvalidInput) as caught:
        read(*specs, stdin=stdin)
    return str(caught.value)


def test_a_directory_is_read_by_path_with_all_below_it(tmp_path: Path) -> None:
    write(
        tmp_path, **{"b.yaml": "b: 1", "a/z.yml": "z: 1", "a/b/c.json": '{"c": 1}', "README.md": "# no", "run.sh": "x"}
    )
    (tmp_path / "d.yaml.gz").write_bytes(gzip.compress(b"d: 1"))
    assert values(read(tmp_path)) == [{"c": 1}, {"z": 1}, {"b": 1}, {"d": 1}]


def test_origins_name_the_file_as_the_user_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, **{"deploy/a.yaml": "\na: 1"})
    monkeypatch.chdir(tmp_path)
    assert str(read("deploy/").documents[0].origin) == "deploy/a.yaml:2"


def test_a_mounted_config_map_is_read_once(tmp_path: Path) -> None:
    """Each file is shown three times there: as a link, below ..data, and below the directory that ..data names."""
    write(tmp_path, **{"..2026_11_30/a.yaml": "a: 1", "..2026_11_30/sub/b.yaml": "b: 1"})
    os.symlink("..2026_11_30", tmp_path / "..data")
    os.symlink("..data/a.yaml", tmp_path / "a.yaml")
    os.symlink("..data/sub", tmp_path / "sub")
    assert values(read(tmp_path)) == [{"a": 1}, {"b": 1}]


def test_names_that_begin_with_a_dot_are_not_entered(tmp_path: Path) -> None:
    write(tmp_path, **{".a.yaml": "a: 1", ".git/b.yaml": "b: 1", "c/.d/e.yaml": "e: 1", "c/f.yaml": "f: 1"})
    assert values(read(tmp_path)) == [{"f": 1}]


def test_a_link_to_a_directory_that_it_lies_in_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.symlink(tmp_path, tmp_path / "a" / "up")
    assert "a/up: is a link to a directory that it lies in" in fault(tmp_path)


def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    os.symlink("gone.yaml", tmp_path / "a.yaml")
    assert fault(tmp_path).startswith(f"{tmp_path}/a.yaml: cannot be read: No such file")


def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.yaml")
    assert fault(tmp_path) == f"{tmp_path}/a.yaml: is no regular file"


def test_settings_are_read_from_the_top_only(tmp_path: Path) -> None:
    write(tmp_path, **{"handoff.yaml": "component: shop\n", "a.yaml": "a: 1", "sub/handoff.yaml": "b: 1"})
    source = read(tmp_path)
    assert (source.settings, source.settings_file) == ({"component": "shop"}, f"{tmp_path}/handoff.yaml")
    assert values(source) == [{"a": 1}, {"b": 1}]


def test_empty_settings_are_settings(tmp_path: Path) -> None:
    write(tmp_path, **{"handoff.yaml": "# nothing yet\n"})
    assert read(tmp_path).settings == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- a\n", "must be a mapping"),
        ("a: 1\n---\nb: 1\n", "handoff.yaml:3: a second document"),
        ("apiVersion: v1\nkind: ConfigMap\n", "give this manifest another name"),
        ("a: 1\na: 1\n", "handoff.yaml:2: the key 'a' stands twice"),
    ],
)
def test_settings_that_are_none_are_refused(tmp_path: Path, text: str, words: str) -> None:
    write(tmp_path, **{"handoff.yaml": text})
    assert words in fault(tmp_path)


def test_settings_in_two_sources_are_refused(tmp_path: Path) -> None:
    write(tmp_path, **{"a/handoff.yaml": "x: 1", "b/handoff.yaml": "z: 1"})
    assert "settings can be in one source only" in fault(tmp_path / "a", tmp_path / "b")


def test_several_sources_are_read_in_the_order_given(tmp_path: Path) -> None:
    write(tmp_path, **{"x/a.yaml": "a: 1", "b.txt": "b: 1"})
    assert values(read(tmp_path / "b.txt", "-", tmp_path / "x", stdin=b"c: 1")) == [{"b": 1}, {"c": 1}, {"a": 1}]


def test_standard_input_is_read_once() -> None:
    assert "once only" in fault("-", "-")


def test_faults_on_standard_input_name_it() -> None:
    assert fault("-", stdin=b"a: y").startswith("<stdin>:1: ")


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml"])
@pytest.mark.parametrize("below", ["", "sub/"])
def test_what_has_to_be_rendered_is_refused(tmp_path: Path, name: str, below: str) -> None:
    write(tmp_path, **{f"{below}{name}": "x: 1", "a.yaml": "a: 1"})
    message = fault(tmp_path)
    assert message.startswith(f"{tmp_path}/{below}{name}: ")
    assert "render it first" in message


def test_a_kustomization_given_as_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path, **{"kustomization.yaml": "x: 1"})
    assert "render it first" in fault(tmp_path / "kustomization.yaml")


def test_a_source_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert fault(tmp_path / "none") == f"{tmp_path}/none: cannot be read: No such file or directory"


def test_a_directory_without_manifests_is_an_empty_source(tmp_path: Path) -> None:
    assert read(tmp_path) == Source(())


def test_faults_of_all_files_are_named(tmp_path: Path) -> None:
    write(tmp_path, **{"a.yaml": "a: y", "b.yaml": "b: 0644"})
    message = fault(tmp_path)
    assert "a.yaml:1: " in message
    assert "b.yaml:1: " in message


def test_a_tree_of_files_follows_the_rules_of_a_directory() -> None:
    files = {
        "b.yaml": b"b: 1",
        "a/x.json.gz": gzip.compress(b'{"x": 1}'),
        ".hidden/c.yaml": b"c: 1",
        "..data/b.yaml": b"b: 1",
        "handoff.yaml": b"component: shop",
        "notes.txt": b"\xff",
    }
    source = read_tree(files, "configmap://shop/input")
    assert values(source) == [{"x": 1}, {"b": 1}]
    assert source.settings_file == "configmap://shop/input/handoff.yaml"
    assert str(source.documents[1].origin) == "configmap://shop/input/b.yaml:1"


def test_a_chart_in_a_tree_is_refused() -> None:
    with pytest.raises(InvalidInput, match="helm template"):
        read_tree({"chart/Chart.yaml": b"name: x"}, "artifact")
