"""Real release manifests load as they are, at about the speed of the C reader."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
import yaml

from hook.manifests.load import load, place
from hook.manifests.parts import part_of
from hook.manifests.scope import builtin_scope, scope_from
from hook.manifests.sources import read_sources
from hook.manifests.waves import api_services_of, wave_of
from tests.unit.manifests.inputs import CORPUS

FILES = sorted(CORPUS.glob("*/*.yaml"))
pytestmark = pytest.mark.skipif(not FILES, reason="no corpus of release manifests here (HANDOFF_CORPUS)")

COUNTS = {"tekton-pipeline/v0.58.0.yaml": 75, "tekton-pipeline/v1.2.0.yaml": 74, "argo-cd/v2.9.0.yaml": 55}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_release_loads_completely(file: Path) -> None:
    manifests = load(read_sources([str(file)], io.BytesIO()).documents)
    plain = [d for d in yaml.load_all(file.read_text(), yaml.CSafeLoader) if d]
    assert len(manifests.items) == len(plain)
    assert manifests.left_out == ()
    assert len(manifests.items) == COUNTS.get(f"{file.parent.name}/{file.name}", len(plain))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_release_has_a_scope_a_part_and_a_wave_for_each_manifest(file: Path) -> None:
    items = load(read_sources([str(file)], io.BytesIO()).documents).items
    scopes = scope_from(item.obj for item in items)
    placed = place(items, "target", lambda kind: scopes.get(kind, builtin_scope(kind)))
    assert {item.identity for item in placed if builtin_scope(item.identity.of_kind) is None} == set()
    assert all(part_of(item.identity.of_kind) and wave_of(item, api_services_of(placed)) for item in placed)
    assert all(bool(item.identity.namespace) == builtin_scope(item.identity.of_kind) for item in placed)


def test_loading_takes_no_more_than_three_times_what_the_c_reader_needs() -> None:
    file = CORPUS / "tekton-pipeline" / "v1.2.0.yaml"
    text = file.read_text()

    def seconds(work: object) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            work()  # type: ignore[operator]
            times.append(time.process_time() - start)
        return min(times)

    plain = seconds(lambda: list(yaml.load_all(text, yaml.CSafeLoader)))
    assert seconds(lambda: load(read_sources([str(file)], io.BytesIO()).documents)) < 3 * plain
