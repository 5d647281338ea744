"""Archives: what is taken out of them, and what is refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.errors import InvalidInput
from hook.manifests import archive
from hook.manifests.archive import read_archive

YAML = b"kind: ConfigMap\n"


def packed(*entries: tuple[str, bytes | str | None]) -> bytes:
    """An archive of (path, content): bytes is a file, None a directory, text a symbolic link to it."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as made:
        for path, content in entries:
            info = tarfile.TarInfo(path)
            if content is None:
                info.type = tarfile.DIRTYPE
                made.addfile(info)
            elif isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                made.addfile(info)
            else:
                info.size = len(content)
                made.addfile(info, io.BytesIO(content))
    return raw.getvalue()


def refusal(data: bytes, below: str = "") -> str:
    with pytest.raises(InvalidInput) as caught:
        read_archive(data, "flux://x", below)
    assert caught.value.message.startswith("flux://x: ")
    return caught.value.message


def test_manifests_are_read_with_their_paths() -> None:
    data = packed((".", None), ("./deploy", None), ("./deploy/a.yaml", YAML), ("deploy/b.json.gz", b"x"))
    assert read_archive(data, "x") == {"deploy/a.yaml": YAML, "deploy/b.json.gz": b"x"}


def test_only_what_is_below_the_path_is_read() -> None:
    data = packed(("deploy/a.yaml", YAML), ("deployment/b.yaml", YAML), ("c.yaml", YAML))
    assert read_archive(data, "x", "deploy") == {"a.yaml": YAML}


def test_other_files_and_hidden_ones_do_not_count() -> None:
    data = packed(("README.md", b"#"), (".github/a.yaml", YAML), ("src/main.go", b"package main"))
    assert read_archive(data, "x") == {}


def test_a_directory_without_manifests_is_there_all_the_same() -> None:
    assert read_archive(packed(("deploy", None)), "x", "deploy") == {}


def test_a_path_that_is_not_in_it_is_refused() -> None:
    assert "there is no deploy in it" in refusal(packed(("a.yaml", YAML)), "deploy")


def test_a_path_to_a_file_is_refused() -> None:
    assert "deploy/a.yaml is a file; name the directory" in refusal(packed(("deploy/a.yaml", YAML)), "deploy/a.yaml")


@pytest.mark.parametrize("path", ["/etc/a.yaml", "../a.yaml", "deploy/../../a.yaml"])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    assert "leads out" in refusal(packed((path, YAML)))


def test_links_are_refused() -> None:
    assert "deploy/a.yaml is a link" in refusal(packed(("deploy/a.yaml", "../secret.yaml")))


def test_a_hard_link_is_refused() -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as made:
        info = tarfile.TarInfo("b.yaml")
        info.type, info.linkname = tarfile.LNKTYPE, "a.yaml"
        made.addfile(info)
    assert "b.yaml is a link" in refusal(raw.getvalue())


def test_devices_are_refused() -> None:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as made:
        info = tarfile.TarInfo("b.yaml")
        info.type = tarfile.FIFOTYPE
        made.addfile(info)
    assert "neither file nor directory" in refusal(raw.getvalue())


def test_a_file_that_is_in_it_twice_is_refused() -> None:
    assert "a.yaml is in it twice" in refusal(packed(("a.yaml", YAML), ("./a.yaml", b"kind: Secret\n")))


def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_UNPACKED", 1 << 20)
    assert "unpacks to more than 1 MiB" in refusal(packed(("data.bin", bytes(2 << 20))))


def test_manifests_that_are_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_KEPT", 1 << 20)
    assert "larger than 1 MiB" in refusal(packed(("a.yaml", bytes(1 << 20)), ("b.yaml", b"x")))


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 3)
    assert "more than 3 entries" in refusal(packed(*((f"{n}.txt", b"") for n in range(4))))


@pytest.mark.parametrize(
    "data", [b"", b"plain text", gzip.compress(b"no tar at all" * 99), packed(("a.yaml", YAML * 999))[:60]]
)
def test_what_is_no_archive_or_is_cut_off_is_refused(data: bytes) -> None:
    assert "no tar archive" in refusal(data)


@given(st.binary(max_size=600))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for tried in (data, gzip.compress(data)):
        with contextlib.suppress(InvalidInput):
            read_archive(tried, "x")
