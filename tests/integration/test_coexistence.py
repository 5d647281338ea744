"""Two generations beside one another, on a release that replaces another: the old one goes when the new one is Ready.

The story is told once: v0.58.0 is installed; pods of v1.2.0 are kept from starting, and its run ends for want of time;
then they start, and the run is repeated. The tests look at what stood in the cluster at each of these moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from tests.cluster.cluster import Cluster, start_cluster
from tests.cluster.probe import Target
from tests.corpus import needs_corpus
from tests.hook_process import HookResult, handoff, run_handoff
from tests.integration.tekton_release import COMPONENT, NAMESPACE, NEW, OLD, command, objects
from tests.live_objects import Object, meant, read, sets_of

pytestmark = [pytest.mark.cluster, needs_corpus("tekton-pipeline")]

OLD_RULE = "clustertasks"  # in ClusterRoles of v0.58.0 only
OLD_KEY = "disable-affinity-assistant"  # in feature-flags of v0.58.0 only
OLD_ONLY = "CustomResourceDefinition clustertasks.tekton.dev"


@dataclass(frozen=True, slots=True)
class Moment:
    """What stood in the cluster: the objects of v0.58.0, the sets, and Ready pods by their workload's name."""

    live: dict[Target, Object]
    sets: list[Object]
    ready_pods: dict[str, set[str]]

    def named(self, text: str) -> Object:
        return next(obj for target, obj in self.live.items() if str(target) == text)

    def of_kind(self, kind: str) -> dict[str, Object]:
        return {str(target): obj for target, obj in self.live.items() if target.kind == kind}

    def versions(self) -> list[str]:
        """The versions that have a set which is not retiring."""
        return sorted({one["spec"]["version"] for one in self.sets if "retiredBy" not in one["spec"]})


@dataclass(frozen=True, slots=True)
class Story:
    installed: Moment
    waiting: Moment
    timed_out: Moment
    done: Moment
    first_run: HookResult
    second_run: HookResult


@pytest.fixture(scope="module")
def story(request: pytest.FixtureRequest) -> Iterator[Story]:
    if request.config.getoption("--kubeconfig") is not None:
        pytest.skip("needs an empty cluster of its own")
    manifests = objects(OLD)
    with start_cluster() as cluster:
        result = run_handoff(cluster, *command(OLD))
        assert result.exit_code == 0, str(result)
        installed = _look(cluster, manifests)
        cluster.cordon()
        with handoff(cluster, *command(NEW, "--timeout", "12s")) as process:
            process.until(lambda: process.logged('"event": "waiting"'), "the new generation is waited for")
            waiting = _look(cluster, manifests)
            first_run = process.wait()
        timed_out = _look(cluster, manifests)
        cluster.uncordon()
        second_run = run_handoff(cluster, *command(NEW))
        yield Story(installed, waiting, timed_out, _look(cluster, manifests), first_run, second_run)


def _look(cluster: Cluster, manifests: list[Object]) -> Moment:
    pods: dict[str, set[str]] = {}
    for pod in cluster.api.request("GET", "/api/v1/pods").body["items"]:
        conditions = pod.get("status", {}).get("conditions") or []
        if any(c["type"] == "Ready" and c["status"] == "True" for c in conditions):
            workload = pod["metadata"]["name"].rsplit("-", 2)[0]
            pods.setdefault(workload, set()).add(pod["metadata"]["uid"])
    return Moment(read(cluster.api, manifests), sets_of(cluster.api, NAMESPACE, COMPONENT), pods)


def _permissions(role: Object) -> set[tuple[str, ...]]:
    """What a role permits, one by one: a rule may be covered by another that permits more."""
    return {
        (*line, *about)
        for rule in role.get("rules") or []
        for about in product(rule["verbs"], rule.get("resourceNames") or ["*"])
        for line in (
            *product(rule.get("apiGroups") or [], rule.get("resources") or []),
            *product(["URL"], rule.get("nonResourceURLs") or []),
        )
    }


def test_sets_of_both_generations_exist_while_the_new_one_is_not_ready(story: Story) -> None:
    assert story.waiting.versions() == [OLD, NEW]
    assert len(story.waiting.sets) == 4


def test_what_only_the_old_generation_lists_is_not_touched(story: Story) -> None:
    for moment in (story.waiting, story.timed_out):
        assert moment.named(OLD_ONLY) == story.installed.named(OLD_ONLY)


def test_pods_of_the_old_generation_serve_on(story: Story) -> None:
    assert story.installed.ready_pods
    assert story.waiting.ready_pods == story.installed.ready_pods
    assert story.timed_out.ready_pods == story.installed.ready_pods


def test_roles_keep_the_rules_of_the_old_generation_meanwhile(story: Story) -> None:
    assert OLD_RULE in str([_permissions(role) for role in story.waiting.of_kind("ClusterRole").values()])
    for kind in ("Role", "ClusterRole"):
        for name, role in story.installed.of_kind(kind).items():
            assert _permissions(role) <= _permissions(story.waiting.named(name)), name


def test_configuration_keeps_the_keys_of_the_old_generation_meanwhile(story: Story) -> None:
    assert OLD_KEY in story.waiting.named("ConfigMap tekton-pipelines/feature-flags")["data"]
    for name, configuration in story.installed.of_kind("ConfigMap").items():
        assert configuration.get("data", {}).keys() <= story.waiting.named(name).get("data", {}).keys(), name


def test_services_keep_ports_and_selector_of_the_old_generation_meanwhile(story: Story) -> None:
    for name, service in story.installed.of_kind("Service").items():
        during = story.waiting.named(name)["spec"]
        assert during["selector"] == service["spec"]["selector"], name
        assert {p["port"] for p in service["spec"]["ports"]} <= {p["port"] for p in during["ports"]}, name


def test_a_generation_that_is_not_ready_in_time_ends_the_run(story: Story) -> None:
    result = story.first_run
    assert result.exit_code == 124, str(result)
    assert any(item["object"].startswith("Deployment") for item in result.report["waitingFor"])
    assert result.report["retired"] == result.report["pruned"] == []


def test_the_old_sets_and_all_their_resources_are_still_there_then(story: Story) -> None:
    assert story.timed_out.versions() == [OLD, NEW]
    before = {target: obj["metadata"]["uid"] for target, obj in story.installed.live.items()}
    assert {target: obj["metadata"]["uid"] for target, obj in story.timed_out.live.items()} == before
    assert not [str(t) for t, obj in story.timed_out.live.items() if "deletionTimestamp" in obj["metadata"]]


def test_made_ready_and_run_again_the_handoff_completes(story: Story) -> None:
    assert story.second_run.exit_code == 0, str(story.second_run)
    assert story.done.versions() == [NEW]
    assert len(story.done.sets) == 2
    assert len(story.second_run.report["retired"]) == 2


def test_then_the_carried_rules_and_keys_go(story: Story) -> None:
    assert OLD_RULE not in str([_permissions(role) for role in story.done.of_kind("ClusterRole").values()])
    assert OLD_KEY not in story.done.named("ConfigMap tekton-pipelines/feature-flags")["data"]
    assert ".carry-" not in str([meant(obj) for obj in story.done.live.values()])


def test_a_definition_that_is_no_longer_desired_is_kept_and_reported(story: Story) -> None:
    assert story.done.named(OLD_ONLY)["metadata"]["uid"] == story.installed.named(OLD_ONLY)["metadata"]["uid"]
    assert any("clustertasks" in name for name in story.second_run.objects("kept"))
