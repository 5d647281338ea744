"""The rights that `handoff rbac` prints: enough for everything, and each of them needed."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hook.commands.inputs import read_inputs
from hook.commands.rbac import RightsWanted, needs_of
from hook.rights.right import Need, Needed, Right
from tests.cluster.api import Api
from tests.cluster.cluster import Cluster
from tests.examples import example
from tests.hook_inside import run_inside
from tests.hook_process import HookResult, run_handoff

NAMESPACE, ACCOUNT = "shop", "handoff"
COMMON = ("--component", "shop", "--namespace", NAMESPACE)
V1, V2 = str(example("shop", "v1")), str(example("shop", "v2"))
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


Place = tuple[int, int]  # of a rule: the printed object, and which of its rules


@dataclass
class Granted:
    """One ServiceAccount and what it may do: the printed objects, and the rules among them that are left out."""

    cluster: Cluster
    kubeconfig: Path
    job: dict[str, str]
    items: list[dict[str, Any]] = field(default_factory=list)
    needed: tuple[Needed, ...] = ()
    held: list[dict[str, Any]] = field(default_factory=list)
    _standing: dict[str, dict[str, Any]] = field(default_factory=dict)

    def print_for(self, source: str, previous: str) -> None:
        """Grants what is printed for a generation."""
        printed = run_handoff(None, "rbac", "--source", source, "--previous", previous, *COMMON)
        assert printed.exit_code == 0, printed
        self.items = printed.report["items"]
        inputs = read_inputs([source], {"component": "shop", "namespace": NAMESPACE})
        needs = needs_of(inputs, RightsWanted(previous=[previous]))
        self.needed, self.held = needs.rights(), [one.rule for one in needs.held()]
        self.grant()

    def grant(self, *without: Place) -> None:
        """Grants all rules but these; returns when the API server goes by it."""
        items = copy.deepcopy(self.items)
        for number, index in sorted(without, reverse=True):
            del items[number]["rules"][index]
        changed = [item for item in items if self._standing.get(_key(item)) != item]
        for item in changed:
            answer = self.cluster.api.request(
                "PATCH",
                path_of(item),
                item,
                query={"fieldManager": "tests", "force": "true"},
                content_type="application/apply-patch+yaml",
            )
            assert answer.status in (200, 201), answer.body
            self._standing[_key(item)] = item
        namespaces = {item["metadata"].get("namespace", "") for item in changed}
        api = Api(self.kubeconfig)
        for item, rule in self.rules().values():
            namespace = item["metadata"].get("namespace", "")
            if namespace in namespaces and "resources" in rule:
                right = some_right(rule, namespace)
                wait_for_answer(api, right, any(grants(one, right) for one in granted_in(items, namespace)))
        api.close()

    def rules(self) -> dict[Place, tuple[dict[str, Any], dict[str, Any]]]:
        """Each rule with the Role that it is in."""
        return {
            (number, index): (item, rule)
            for number, item in enumerate(self.items)
            for index, rule in enumerate(item.get("rules", ()))
        }

    def places(self, need: Need) -> list[Place]:
        """Rules of which that is the most urgent need that no other rule meets too.

        One that is held, since a Role of the input has it, is RUN.
        """
        order = [Need.RUN, Need.PRUNE, Need.OPTIONAL]
        rules = self.rules()
        found = []
        for place, (item, rule) in rules.items():
            scope = item["metadata"].get("namespace", "")
            others = [(other["metadata"].get("namespace", ""), r) for at, (other, r) in rules.items() if at != place]
            alone = [
                one.need
                for one in self.needed
                if grants(rule, one.right)
                and scope in ("", one.right.namespace)
                and not any(space in ("", one.right.namespace) and grants(other, one.right) for space, other in others)
            ]
            most = Need.RUN if rule in self.held else min(alone, key=order.index, default=Need.OPTIONAL)
            if most is need:
                found.append(place)
        return found

    def run(self, *command: str) -> HookResult:
        return run_inside(self.kubeconfig, *command, *COMMON, environment=self.job)


def _key(item: dict[str, Any]) -> str:
    return f"{item['kind']} {item['metadata'].get('namespace', '')}"


def path_of(item: dict[str, Any]) -> str:
    namespace = item["metadata"].get("namespace", "")
    scope = f"namespaces/{namespace}/" if namespace else ""
    return f"/apis/rbac.authorization.k8s.io/v1/{scope}{item['kind'].lower()}s/{item['metadata']['name']}"


def grants(rule: dict[str, Any], right: Right) -> bool:
    names = rule.get("resourceNames")
    return (
        right.group in rule.get("apiGroups", ())
        and right.resource in rule.get("resources", ())
        and right.verb in rule["verbs"]
        and (not names or right.name in names)
    )


def granted_in(items: list[dict[str, Any]], namespace: str) -> Iterator[dict[str, Any]]:
    for item in items:
        if "rules" in item and item["metadata"].get("namespace", "") in ("", namespace):
            yield from item["rules"]


def some_right(rule: dict[str, Any], namespace: str) -> Right:
    plural, _, subresource = rule["resources"][0].partition("/")
    name = rule.get("resourceNames", [""])[0]
    return Right(rule["apiGroups"][0], plural, rule["verbs"][-1], namespace, name, subresource)


def wait_for_answer(api: Api, right: Right, expected: bool) -> None:
    attributes = {
        "group": right.group,
        "resource": right.plural,
        "subresource": right.subresource,
        "verb": right.verb,
        "namespace": right.namespace,
        "name": right.name,
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    deadline = time.monotonic() + 20
    while api.request("POST", REVIEWS, body).body["status"]["allowed"] is not expected:
        assert time.monotonic() < deadline, f"{right}: still {not expected}"
        time.sleep(0.05)


def is_about_pods(rule: dict[str, Any]) -> bool:
    return "pods" in rule.get("resources", ())


@dataclass
class Story:
    """First install, upgrade and removal, each rule left out in turn where it counts."""

    lacking: list[tuple[dict[str, Any], HookResult]]  # the rule, and the first install without it
    installed: HookResult
    scaled: tuple[
        HookResult, HookResult
    ]  # plans with an autoscaler of somebody else, with the right to see it and without
    without_pods: list[HookResult]
    unpruned: HookResult
    given_back: list[tuple[dict[str, Any], dict[str, str], dict[str, str]]]  # the rule, what was left before and after
    upgraded: HookResult
    removed: HookResult


@pytest.fixture(scope="module")
def story(module_cluster: Cluster) -> Story:
    granted = granted_in_new_namespaces(module_cluster)
    granted.print_for(V1, V2)
    lacking = []
    for place in granted.places(Need.RUN):
        rule = granted.rules()[place][1]
        if not is_about_pods(rule):  # there are no old ones yet
            granted.grant(place)
            lacking.append((rule, granted.run("run", "--source", V1, "--version", "v1")))
    granted.grant()
    installed = granted.run("run", "--source", V1, "--version", "v1")

    granted.print_for(V2, V1)
    scaled = plans_with_an_autoscaler(granted)
    without_pods = []
    for place in granted.places(Need.RUN):
        if is_about_pods(granted.rules()[place][1]):
            granted.grant(place)
            without_pods.append(granted.run("run", "--source", V2, "--version", "v2"))
    optional = granted.places(Need.OPTIONAL)
    prune = sorted(granted.places(Need.PRUNE), key=lambda place: turn(granted.rules()[place][1]), reverse=True)
    granted.grant(*prune, *optional)
    upgraded = unpruned = granted.run("run", "--source", V2, "--version", "v2")
    left, given_back = incomplete(unpruned), []
    while prune:
        rule = granted.rules()[prune.pop()][1]
        granted.grant(*prune, *optional)
        upgraded = granted.run("run", "--source", V2, "--version", "v2")
        given_back.append((rule, left, incomplete(upgraded)))
        left = incomplete(upgraded)

    granted.grant()
    removed = granted.run("remove")
    return Story(lacking, installed, scaled, without_pods, unpruned, given_back, upgraded, removed)


def plans_with_an_autoscaler(granted: Granted) -> tuple[HookResult, HookResult]:
    """What is planned for v2 while somebody else's autoscaler, which has not scaled yet, is there."""
    path = f"/apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers"
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "front"}
    spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 3}
    body = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "theirs"}}
    made = granted.cluster.api.request("POST", path, {**body, "spec": spec})
    assert made.status == 201, made.body
    (place,) = (at for at, (_, rule) in granted.rules().items() if "horizontalpodautoscalers" in rule["resources"])
    seen = granted.run("plan", "--source", V2)
    granted.grant(place)
    unseen = granted.run("plan", "--source", V2)
    granted.cluster.api.request("DELETE", f"{path}/theirs")
    return seen, unseen


def granted_in_new_namespaces(cluster: Cluster) -> Granted:
    """A ServiceAccount without rights, with the namespaces of the example and a Job that the runs belong to."""
    spaces: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("shop", "shop-reports")
    ]
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": NAMESPACE}}
    pod = {"restartPolicy": "Never", "containers": [{"name": "handoff", "image": "handoff"}]}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "handoff", "namespace": NAMESPACE},
        "spec": {"suspend": True, "template": {"spec": pod}},
    }
    cluster.load([*spaces, account, job])
    uid = cluster.api.request("GET", f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/handoff").body["metadata"]["uid"]
    kubeconfig = cluster.service_account_kubeconfig(NAMESPACE, ACCOUNT)
    return Granted(cluster, kubeconfig, {"HANDOFF_JOB_NAME": "handoff", "HANDOFF_JOB_UID": uid})


def turn(rule: dict[str, Any]) -> int:
    """Admission first, then custom resources, then workloads; whatever is held up there holds up all the rest."""
    first = ["validatingwebhookconfigurations", "reports", "deployments"]
    (resource,) = rule["resources"]
    return first.index(resource) if resource in first else len(first)


def incomplete(result: HookResult) -> dict[str, str]:
    return {entry["object"]: entry["why"] for entry in result.report["incomplete"]}


def test_the_printed_rights_are_enough_for_install_upgrade_and_removal(story: Story) -> None:
    for result in (story.installed, story.upgraded, story.removed):
        assert result.exit_code == 0, result
    assert story.removed.report["counts"]["pruned"] == 12


def test_without_any_one_rule_a_run_ends_with_5_and_names_it(story: Story) -> None:
    assert len(story.lacking) > 20
    for rule, result in story.lacking:
        assert result.exit_code == 5, (rule, str(result))
        message = result.report["message"]
        assert any(resource.partition("/")[0] in message for resource in rule["resources"]), (rule, message)


def test_what_is_missing_is_noticed_before_anything_is_written(story: Story) -> None:
    for rule, result in story.lacking:
        assert result.report["counts"]["created"] == result.report["counts"]["changed"] == 0, rule


def test_rights_that_only_a_handoff_needs_are_asked_for_before_it_begins(story: Story) -> None:
    assert story.without_pods
    for result in story.without_pods:
        assert result.exit_code == 5, result
        assert "list pods in namespace shop" in result.report["message"]
        assert result.report["counts"]["changed"] == 0


def test_with_the_right_to_list_autoscalers_they_are_seen_before_they_scale(story: Story) -> None:
    left = "spec.replicas is left to HorizontalPodAutoscaler.autoscaling shop/theirs"
    told = [[entry["why"] for entry in plan.report["warnings"]] for plan in story.scaled]
    assert [left in warnings for warnings in told] == [True, False], story.scaled


def test_without_rights_to_prune_the_handoff_is_done_and_all_that_is_obsolete_is_named(story: Story) -> None:
    assert story.unpruned.exit_code == 6, story.unpruned
    assert story.unpruned.report["counts"]["pruned"] == 0
    warned = {entry["object"] for entry in story.unpruned.report["warnings"]}
    assert "delete priorityclasses.scheduling.k8s.io shop-reports" in warned


def test_each_rule_to_prune_frees_just_what_it_names(story: Story) -> None:
    for rule, before, after in story.given_back:
        if rule["verbs"] == ["patch"]:  # to give up what is kept, when the component is removed
            continue
        freed = {item: why for item, why in before.items() if item not in after}
        # What only had to wait for it goes with it.
        held_up = {item: why for item, why in freed.items() if not why.startswith("goes after")}
        names = {item.rpartition(" ")[2].rpartition("/")[2] for item in held_up}
        assert names == set(rule["resourceNames"]), (rule, freed)
        for item, why in held_up.items():
            assert rule["resources"][0] in why, (rule, item, why)
