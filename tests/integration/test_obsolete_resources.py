"""What only the old generation listed goes when the new one serves: all of it, in order, and nothing else.

One upgrade of the example component, looked at from several sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.history import Event, History
from tests.cluster.probe import Probe, ProbeReport, Target, targets_of
from tests.cluster.proxy import Proxy, Request
from tests.examples import example, objects_in
from tests.hook_process import HookResult, run_handoff

OLD, NEW = example("shop", "v1"), example("shop", "v2")
KEPT = (
    "Namespace shop-reports",
    "CustomResourceDefinition reports.shop.example",
    "PersistentVolumeClaim shop-reports/reports",
    "PersistentVolume shop-reports",
)
# In the order of deletion; what stands in one line may go in any order.
GOING = (
    {"ValidatingWebhookConfiguration shop-reports"},
    {"Report shop-reports/revenue"},
    {"Deployment shop-reports/reports"},
    {
        "ConfigMap shop/banner",
        "ConfigMap shop-reports/reports",
        "Service shop-reports/reports",
        "RoleBinding shop-reports/reports",
    },
    {"Role shop-reports/reports", "ServiceAccount shop-reports/reports", "PriorityClass shop-reports"},
)


@dataclass(frozen=True)
class Upgrade:
    """The upgrade, and what was there before it."""

    cluster: Cluster
    result: HookResult
    history: list[Event]
    requests: list[Request]
    probe: ProbeReport
    before: dict[str, str]  # object → uid
    targets: dict[str, Target]

    @property
    def deleted(self) -> list[Event]:
        """Deletions of what the old generation listed, in order."""
        listed = set(self.targets.values())
        return [event for event in self.history if event.type == "DELETED" and event.target in listed]

    def find(self, kind: str, name: str) -> list[Event]:
        """The events of one kind whose object's name begins so."""
        return [e for e in self.history if e.target.kind == kind and e.target.name.startswith(name)]


@pytest.fixture(scope="module")
def upgrade(module_cluster: Cluster) -> Upgrade:
    cluster = module_cluster
    common = ("--component=shop", "--namespace=shop", "--timeout=3m")
    first = run_handoff(cluster, "run", "--source", OLD, "--version=v1", *common)
    assert first.exit_code == 0, str(first)
    old, new = objects_in(OLD), objects_in(NEW)
    targets = {str(target): target for target in targets_of(cluster.api, old)}
    sets = Target("installersets.io", "v1alpha1", "InstallerSet", "installersets", "shop", "")
    pods = Target("", "v1", "Pod", "pods", "shop-reports", "")
    history = History(cluster.api, [*targets.values(), sets, pods])
    before = {name: uid_of(cluster, target) for name, target in targets.items()}
    staying = [target for target in targets_of(cluster.api, new) if str(target) in targets]
    assert None not in before.values()
    with Proxy(cluster.kubeconfig) as proxy:
        with Probe(cluster.kubeconfig, [*staying, *(targets[name] for name in KEPT)]) as probe:
            second = run_handoff(None, "run", "--source", NEW, "--version=v2", *common, kubeconfig=proxy.kubeconfig)
        requests = [recorded.request for recorded in proxy.requests]
    assert second.exit_code == 0, str(second)
    return Upgrade(
        cluster,
        second,
        history.events(),
        requests,
        probe.report,
        {name: uid for name, uid in before.items() if uid},
        targets,
    )


def uid_of(cluster: Cluster, target: Target) -> str | None:
    answer = cluster.api.request("GET", target.path)
    return answer.body["metadata"]["uid"] if answer.status == 200 else None


def test_all_that_is_obsolete_is_gone(upgrade: Upgrade) -> None:
    for name in set().union(*GOING):
        assert uid_of(upgrade.cluster, upgrade.targets[name]) is None, name
    assert {str(event.target) for event in upgrade.deleted} == set().union(*GOING)


def test_what_went_is_what_was_recorded_by_uid(upgrade: Upgrade) -> None:
    assert {str(e.target): e.uid for e in upgrade.deleted} == {n: upgrade.before[n] for n in set().union(*GOING)}


def test_every_deletion_is_sent_on_condition_of_the_uid_and_resource_version_that_were_read(upgrade: Upgrade) -> None:
    sent = [request for request in upgrade.requests if request.method == "DELETE" and request.is_write]
    assert {request.name for request in sent} >= {name.rpartition("/")[2].split()[-1] for name in set().union(*GOING)}
    for request in sent:
        assert request.json["preconditions"].keys() == {"uid", "resourceVersion"}, request
        assert request.json["propagationPolicy"] in ("Foreground", "Background"), request


def test_it_goes_in_order_each_step_when_the_one_before_is_gone(upgrade: Upgrade) -> None:
    order = [str(event.target) for event in upgrade.deleted]
    place = 0
    for step in GOING:
        assert set(order[place : place + len(step)]) == step, order
        place += len(step)


def test_nothing_goes_before_the_new_generation_serves_and_the_old_one_is_retired(upgrade: Upgrade) -> None:
    first = upgrade.deleted[0].revision
    for name in ("front", "search"):
        state = [e for e in upgrade.find("Deployment", name) if e.revision < first][-1].object
        image = state["spec"]["template"]["spec"]["containers"][0]["image"]
        assert image.endswith(":2.0")
        assert state["status"]["availableReplicas"] == state["status"]["updatedReplicas"] == state["spec"]["replicas"]
        assert state["status"]["observedGeneration"] == state["metadata"]["generation"]
    retired = [e for e in upgrade.find("InstallerSet", "shop-") if e.object["spec"].get("retiredBy")]
    assert len({e.target for e in retired if e.revision < first}) == 3


def test_what_was_carried_along_goes_after_the_old_pods_and_before_what_these_may_have_read(upgrade: Upgrade) -> None:
    exact = next(e for e in upgrade.find("ConfigMap", "front") if set(e.object["data"]) == {"currency", "search"})
    pods = [e for e in upgrade.find("Pod", "reports-") if e.type == "DELETED"]
    workload = next(e for e in upgrade.deleted if e.target.kind == "Deployment")
    rest = next(e for e in upgrade.deleted if e.target.kind == "ConfigMap")
    assert pods
    assert all(pod.revision < workload.revision for pod in pods)
    assert workload.revision < exact.revision < rest.revision


def test_kinds_that_may_hold_data_stay_and_are_named_with_the_reason(upgrade: Upgrade) -> None:
    for name in KEPT:
        assert uid_of(upgrade.cluster, upgrade.targets[name]) == upgrade.before[name]
    kept = {entry["object"]: entry["why"] for entry in upgrade.result.report["kept"]}
    assert "--prune-kind Namespace" in kept["Namespace shop-reports"]
    assert "--prune-kind PersistentVolumeClaim" in kept["PersistentVolumeClaim shop-reports/reports"]
    assert "installersets.io/prune: disabled" in kept["PersistentVolume shop-reports"]
    (definition,) = (why for name, why in kept.items() if name.endswith("reports.shop.example"))
    assert "--prune-kind CustomResourceDefinition" in definition


def test_what_stays_was_never_missing_nor_replaced(upgrade: Upgrade) -> None:
    assert upgrade.probe.reads > 0
    assert [str(resource) for resource in upgrade.probe.gone()] == []


def test_what_is_kept_is_recorded_for_later_by_the_living_sets(upgrade: Upgrade) -> None:
    sets = upgrade.cluster.api.request("GET", "/apis/installersets.io/v1alpha1/namespaces/shop/installersets")
    retained = [entry for one in sets.body["items"] for entry in one["spec"].get("retained") or []]
    assert len(sets.body["items"]) == 3
    assert {f"{entry['kind']} {entry['name']}" for entry in retained} == {
        "Namespace shop-reports",
        "CustomResourceDefinition reports.shop.example",
        "PersistentVolumeClaim reports",
        "PersistentVolume shop-reports",
    }
    assert all(entry["why"] for entry in retained)


def test_the_old_sets_go_last_of_all(upgrade: Upgrade) -> None:
    sets = [e for e in upgrade.find("InstallerSet", "shop-") if e.type == "DELETED"]
    assert len(sets) == 3
    assert min(e.revision for e in sets) > upgrade.deleted[-1].revision


def test_the_result_lists_what_was_pruned_and_counts_it(upgrade: Upgrade) -> None:
    assert len(upgrade.result.objects("pruned")) == upgrade.result.report["counts"]["pruned"] == len(upgrade.deleted)
