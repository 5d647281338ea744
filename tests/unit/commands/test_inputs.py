"""Which sources are looked at first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from hook.commands import remote_sources
from hook.commands.inputs import read_inputs
from hook.errors import InvalidInput
from hook.manifests.remote import RemoteSource
from hook.manifests.sources import Source, read_tree

REMOTE = "configmap://shop/input"
CONFIG_MAP = b"{apiVersion: v1, kind: ConfigMap, metadata: {name: front}}"


class Fetcher:
    """Stands for the cluster; `fetched` are the sources that were asked for."""

    def __init__(self, *sources: Source) -> None:
        self.fetched: list[RemoteSource] = []
        self._sources = sources

    def __call__(self, remotes: Sequence[RemoteSource], kubeconfig: str | None, context: str | None) -> list[Source]:
        self.fetched += remotes
        return list(self._sources)


@pytest.fixture
def fetcher(monkeypatch: pytest.MonkeyPatch) -> Fetcher:
    found = Fetcher(read_tree({"a.yaml": CONFIG_MAP}, REMOTE, "main@sha1:5f1c"))
    monkeypatch.setattr(remote_sources, "fetch_sources", found)
    return found


def test_a_bad_manifest_of_ours_ends_it_before_anything_is_fetched(fetcher: Fetcher, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: UPPER}}")
    with pytest.raises(InvalidInput, match="UPPER"):
        read_inputs([str(tmp_path), REMOTE], {"component": "shop"})
    assert fetcher.fetched == []


def test_a_bad_setting_ends_it_before_anything_is_fetched(fetcher: Fetcher) -> None:
    with pytest.raises(InvalidInput, match="timeout"):
        read_inputs([REMOTE], {"component": "shop", "timeout": "soon"})
    assert fetcher.fetched == []


def test_a_url_that_is_none_ends_it_before_anything_is_fetched(fetcher: Fetcher) -> None:
    with pytest.raises(InvalidInput, match="configmap://shop"):
        read_inputs([REMOTE, "configmap://shop"], {"component": "shop"})
    assert fetcher.fetched == []


def test_sources_of_both_kinds_make_one_input(fetcher: Fetcher, tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: banner}}")
    inputs = read_inputs([REMOTE, str(tmp_path)], {"component": "shop"})
    assert [m.identity.name for m in inputs.manifests.items] == ["banner", "front"]
    assert [str(one) for one in fetcher.fetched] == [REMOTE]


def test_the_revision_of_a_source_is_noted_unless_one_was_given(
    fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_inputs([REMOTE], {"component": "shop"}).settings.revision == "main@sha1:5f1c"
    monkeypatch.setenv("HANDOFF_REVISION", "v2")
    assert read_inputs([REMOTE], {"component": "shop"}).settings.revision == "v2"
