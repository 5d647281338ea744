"""argo-cd v2.9.0 to v3.4.0 and back: nearly two megabytes of manifests, none of which names a namespace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, ProbeReport, Target, targets_of
from tests.corpus import corpus, objects_of
from tests.hook_process import HookResult, run_handoff

NAMESPACE = "argocd"
ONLY_NEW = {
    "ClusterRole argocd-applicationset-controller",
    "ClusterRoleBinding argocd-applicationset-controller",
    "Role argocd/argocd-redis",
    "RoleBinding argocd/argocd-redis",
}


@dataclass(frozen=True)
class Story:
    """Install, upgrade, revert."""

    cluster: Cluster
    upgraded: HookResult
    reverted: HookResult
    probe: ProbeReport
    installed: dict[Target, str]  # uids
    in_the_end: dict[Target, str | None]
    new: list[Target]
    sets: list[dict[str, Any]]


@pytest.fixture(scope="module")
def story(module_cluster: Cluster) -> Story:
    old, new = corpus("argo-cd", "v2.9.0"), corpus("argo-cd", "v3.4.0")
    cluster = module_cluster
    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
    common = ("--component=argo-cd", f"--namespace={NAMESPACE}", "--timeout=3m")
    first = run_handoff(cluster, "run", "--source", old, *common)
    assert first.exit_code == 0, str(first)
    targets = targets_of(cluster.api, objects_of(old), namespace=NAMESPACE)
    installed = {target: uid for target in targets if (uid := uid_of(cluster, target))}
    with Probe(cluster.kubeconfig, targets) as probe:
        upgraded = run_handoff(cluster, "run", "--source", new, *common)
        assert upgraded.exit_code == 0, str(upgraded)
        fresh = targets_of(cluster.api, objects_of(new), namespace=NAMESPACE)
        there = [target for target in fresh if uid_of(cluster, target)]
        reverted = run_handoff(cluster, "run", "--source", old, *common)
        assert reverted.exit_code == 0, str(reverted)
    assert there == fresh
    sets = cluster.api.request("GET", f"/apis/installersets.io/v1alpha1/namespaces/{NAMESPACE}/installersets")
    in_the_end = {target: uid_of(cluster, target) for target in {*targets, *fresh}}
    return Story(cluster, upgraded, reverted, probe.report, installed, in_the_end, fresh, sets.body["items"])


def uid_of(cluster: Cluster, target: Target) -> str | None:
    answer = cluster.api.request("GET", target.path)
    return answer.body["metadata"]["uid"] if answer.status == 200 else None


def test_all_objects_are_installed_those_without_a_namespace_in_the_target_namespace(story: Story) -> None:
    assert len(story.installed) == len(objects_of(corpus("argo-cd", "v2.9.0"))) == 55
    assert {target.namespace for target in story.installed} == {"", NAMESPACE}


def test_an_upgrade_adds_what_is_new_and_prunes_nothing(story: Story) -> None:
    assert {str(target) for target in story.new} - {str(target) for target in story.installed} == ONLY_NEW
    assert story.upgraded.report["counts"]["created"] == len(ONLY_NEW)
    assert story.upgraded.objects("pruned") == []


def test_a_revert_prunes_the_four_objects_that_only_the_newer_version_has(story: Story) -> None:
    assert {str(target) for target, uid in story.in_the_end.items() if uid is None} == ONLY_NEW
    assert story.reverted.report["counts"]["pruned"] == len(ONLY_NEW)
    assert story.reverted.objects("incomplete") == []


def test_all_55_shared_objects_are_there_from_the_install_to_the_end_of_the_revert(story: Story) -> None:
    assert len(story.probe.resources) == 55
    assert [str(resource) for resource in story.probe.gone()] == []
    assert {target: story.in_the_end[target] for target in story.installed} == story.installed


def test_each_generation_has_its_three_parts_and_only_the_last_one_is_left(story: Story) -> None:
    assert sorted(one["spec"]["part"] for one in story.sets) == ["deployment", "statefulset", "static"]
    assert {one["spec"]["digest"][:12] for one in story.sets} == {story.reverted.report["generation"]}


def test_what_only_the_newer_version_needs_inside_shared_objects_goes_with_it(story: Story) -> None:
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/argocd-cm"
    carried = {entry["object"] for entry in story.reverted.report["carried"]}
    assert f"ConfigMap {NAMESPACE}/argocd-cm" in carried
    assert not story.cluster.api.request("GET", path).body.get("data")
