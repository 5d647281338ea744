"""Tekton Pipelines that somebody installed with `kubectl apply` becomes a component, and is then upgraded.

One story, looked at from several sides: kubectl, v0.58.0 over the same, v1.2.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, ProbeReport, Target
from tests.hook_process import HookResult, run_handoff
from tests.integration.tekton_release import COMPONENT, NAMESPACE, NEW, OLD, command, objects, release
from tests.live_objects import Object, read, sets_of

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MANAGER = f"handoff:{NAMESPACE}:{COMPONENT}"
NOTED = "/api/v1/namespaces/tekton-pipelines/configmaps/config-defaults"


@dataclass(frozen=True)
class Story:
    found: dict[Target, Object]  # as kubectl left it
    adopting: HookResult
    adopted: dict[Target, Object]
    sets: list[Object]
    upgraded: dict[Target, Object]
    upgraded_sets: list[Object]
    probe: ProbeReport


@pytest.fixture(scope="module")
def story(module_cluster: Cluster) -> Story:
    old, new = objects(OLD), objects(NEW)
    cluster = module_cluster
    cluster.kubectl("apply", "-f", str(release(OLD)))
    patch = {"metadata": {"labels": {"team": "delivery"}}}
    noted = cluster.api.request(
        "PATCH", NOTED, patch, query={"fieldManager": "a-team"}, content_type="application/merge-patch+json"
    )
    assert noted.status == 200
    found = read(cluster.api, old)
    assert len(found) == len(old)
    with Probe(cluster.kubeconfig, found) as probe:
        adopting = run_handoff(cluster, *command(OLD, "--timeout=3m"))
        assert adopting.exit_code == 0, str(adopting)
        adopted, sets = read(cluster.api, old), sets_of(cluster.api, NAMESPACE, COMPONENT)
        upgrading = run_handoff(cluster, *command(NEW, "--timeout=3m"))
        assert upgrading.exit_code == 0, str(upgrading)
    upgraded, upgraded_sets = read(cluster.api, new), sets_of(cluster.api, NAMESPACE, COMPONENT)
    return Story(found, adopting, adopted, sets, upgraded, upgraded_sets, probe.report)


def test_all_that_was_there_is_adopted_and_reported(story: Story) -> None:
    assert len(story.adopting.objects("adopted")) == len(story.found) == 75
    assert story.adopting.report["counts"]["created"] == 0
    for target, live in story.adopted.items():
        assert live["metadata"]["labels"][f"owner.installersets.io/{COMPONENT}"] == NAMESPACE, target


def test_nothing_is_replaced_or_missing_from_kubectl_to_the_upgrade(story: Story) -> None:
    assert {t: o["metadata"]["uid"] for t, o in story.found.items()} == {
        t: o["metadata"]["uid"] for t, o in story.adopted.items()
    }
    assert [str(resource) for resource in story.probe.gone()] == []


def test_the_fields_are_ours_and_no_longer_those_of_kubectl(story: Story) -> None:
    for target, live in story.adopted.items():
        assert any(is_kubectl(entry) for entry in story.found[target]["metadata"]["managedFields"])
        entries = live["metadata"]["managedFields"]
        assert not [entry["manager"] for entry in entries if is_kubectl(entry)], target
        own = [entry for entry in entries if entry["manager"] == MANAGER]
        assert [(entry["operation"], entry.get("subresource")) for entry in own] == [("Apply", None)], target
        assert own[0]["apiVersion"] == live["apiVersion"]


def test_what_kubectl_compared_with_is_gone(story: Story) -> None:
    assert any(LAST_APPLIED in (live["metadata"].get("annotations") or {}) for live in story.found.values())
    for target, live in story.adopted.items():
        assert LAST_APPLIED not in (live["metadata"].get("annotations") or {}), target


def test_an_adoption_is_over_when_the_exact_manifests_are_applied(story: Story) -> None:
    entries = [entry for one in story.sets for entry in one["spec"]["resources"]]
    assert len(entries) == 75
    assert not [entry for entry in entries if entry.get("adopted")]


def test_what_the_next_version_drops_inside_objects_really_goes(story: Story) -> None:
    """Fields that kubectl had written: left in its hands, they would stay for ever."""
    live = {str(target): found for target, found in story.upgraded.items()}
    old = {key(item): item for item in objects(OLD)}
    checked = 0
    for item in objects(NEW):
        for path in dropped(old.get(key(item), {}), item):
            checked += 1
            assert not present(live[key(item)], path), f"{key(item)}: {'.'.join(path)}"
    assert checked > 10
    role = live["ClusterRole tekton-pipelines-controller-tenant-access"]
    assert not any("clustertasks" in rule.get("resources", ()) for rule in role["rules"])


def test_fields_of_other_managers_survive(story: Story) -> None:
    (noted,) = (live for target, live in story.upgraded.items() if target.name == "config-defaults")
    assert noted["metadata"]["labels"]["team"] == "delivery"


def test_after_the_upgrade_a_dropped_definition_is_retained_and_the_rest_listed(story: Story) -> None:
    retained = [entry["name"] for one in story.upgraded_sets for entry in one["spec"].get("retained") or []]
    assert retained == ["clustertasks.tekton.dev"]
    assert sum(len(one["spec"]["resources"]) for one in story.upgraded_sets) == len(story.upgraded)
    assert {one["spec"]["version"] for one in story.upgraded_sets} == {NEW}


def is_kubectl(entry: Mapping[str, Any]) -> bool:
    manager: str = entry["manager"]
    return manager.startswith("kubectl")


def key(item: Mapping[str, Any]) -> str:
    """As a Target says it."""
    metadata = item["metadata"]
    place = f"{metadata['namespace']}/" if "namespace" in metadata else ""
    return f"{item['kind']} {place}{metadata['name']}"


def dropped(old: Any, new: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Paths of the fields, and of list items by name, that the old manifest has and the new one lacks."""
    before, after = named(old), named(new)
    for name, value in before.items():
        if name not in after:
            yield (*path, name)
        else:
            yield from dropped(value, after[name], (*path, name))


def named(value: Any) -> dict[str, Any]:
    """The fields of a mapping; the items of a list by their names, where all have one."""
    if isinstance(value, list) and all(isinstance(item, dict) and "name" in item for item in value):
        return {str(item["name"]): item for item in value}
    return value if isinstance(value, dict) else {}


def present(live: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if step not in named(live):
            return False
        live = named(live)[step]
    return True
