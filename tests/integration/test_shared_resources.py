"""Resources that both generations have are never absent: from an install over an upgrade to the revert of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.cluster import start_cluster
from tests.cluster.probe import Probe, ProbeReport, targets_of
from tests.corpus import needs_corpus
from tests.hook_process import HookResult, run_handoff
from tests.integration.tekton_release import COMPONENT, NAMESPACE, NEW, OLD, command, objects
from tests.live_objects import Object, meant_all, read, sets_of

pytestmark = [pytest.mark.cluster, needs_corpus("tekton-pipeline")]

KEPT_NEWER = "CustomResourceDefinition stepactions.tekton.dev"  # v1.2.0 stores a version that v0.58.0 does not have


@dataclass(frozen=True, slots=True)
class Story:
    """v0.58.0 was installed, upgraded to v1.2.0, and reverted, all of it under the probe."""

    shared: int
    probe: ProbeReport
    installed: dict[str, Object]
    reverted: dict[str, Object]
    sets: list[Object]
    revert: HookResult


@pytest.fixture(scope="module")
def story(request: pytest.FixtureRequest) -> Iterator[Story]:
    if request.config.getoption("--kubeconfig") is not None:
        pytest.skip("needs an empty cluster of its own")
    old, new = objects(OLD), objects(NEW)
    desired = {_identity(obj) for obj in new}
    shared = [obj for obj in old if _identity(obj) in desired]
    with start_cluster() as cluster:
        result = run_handoff(cluster, *command(OLD))
        assert result.exit_code == 0, str(result)
        installed = meant_all(read(cluster.api, old))
        with Probe(cluster.kubeconfig, targets_of(cluster.api, shared)) as probe:
            for version in (NEW, OLD):
                result = run_handoff(cluster, *command(version))
                assert result.exit_code == 0, str(result)
        reverted = meant_all(read(cluster.api, old))
        sets = sets_of(cluster.api, NAMESPACE, COMPONENT)
        yield Story(len(shared), probe.report, installed, reverted, sets, result)


def _identity(obj: Object) -> tuple[Any, ...]:
    group = obj["apiVersion"].rpartition("/")[0]
    return group, obj["kind"], obj["metadata"].get("namespace"), obj["metadata"]["name"]


def test_no_shared_resource_was_missing_for_one_read(story: Story) -> None:
    assert story.probe.misses == 0
    assert story.probe.gone() == []


def test_each_shared_resource_was_read_all_the_time(story: Story) -> None:
    assert len(story.probe.resources) == story.shared > 70
    assert all(resource.reads > 5 for resource in story.probe.resources)
    assert story.probe.longest_interval_ms < story.probe.seconds * 1000 / 2


def test_a_definition_that_cannot_go_back_is_kept_newer_and_reported(story: Story) -> None:
    kept = {entry["object"]: entry["why"] for entry in story.revert.report["kept"]}
    (why,) = [why for name, why in kept.items() if "stepactions.tekton.dev" in name]
    assert "newer" in why
    versions = [version["name"] for version in story.reverted[KEPT_NEWER]["spec"]["versions"]]
    assert versions == ["v1alpha1", "v1beta1"]


def test_everything_else_goes_back_to_what_it_was(story: Story) -> None:
    assert story.reverted.keys() == story.installed.keys()
    for name in story.installed.keys() - {KEPT_NEWER}:
        assert story.reverted[name] == story.installed[name], name


def test_only_sets_of_the_old_generation_are_left_after_the_revert(story: Story) -> None:
    assert [one["spec"]["version"] for one in story.sets] == [OLD, OLD]
    assert not [one for one in story.sets if "retiredBy" in one["spec"]]
