"""A component goes entirely; what others share with it stays, and so does what may hold people's data.

One removal of the example component, looked at from several sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, ProbeReport, Target, targets_of
from tests.examples import example, objects_in
from tests.hook_process import HookResult, run_handoff

OWNER = "owner.installersets.io/shop"
APPLIED = "applied.installersets.io/shop"
SHARED = {
    "Namespace shop",
    "CustomResourceDefinition discounts.shop.example",
    "ConfigMap shop/banner",
}
KEPT = {
    "Namespace shop-reports",
    "CustomResourceDefinition reports.shop.example",
    "PersistentVolumeClaim shop-reports/reports",
    "PersistentVolume shop-reports",
}
SHARING = {"HANDOFF_SHARE": "ConfigMap/banner"}


@dataclass(frozen=True)
class Removal:
    """The removal, what was there before it, and the component that shares with the one that went."""

    cluster: Cluster
    result: HookResult
    before: dict[str, dict[str, Any]]
    after: dict[str, dict[str, Any] | None]
    probe: ProbeReport
    billing: Path

    def run_billing(self) -> HookResult:
        return run_billing(self.cluster, self.billing)


@pytest.fixture(scope="module")
def removal(module_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Removal:
    cluster = module_cluster
    shop = objects_in(example("shop", "v1"))
    install = ("run", "--source", example("shop", "v1"), "--component=shop", "--namespace=shop", "--timeout=3m")
    first = run_handoff(cluster, *install, environment=SHARING)
    assert first.exit_code == 0, str(first)

    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "billing"}}])
    targets = {str(target): target for target in targets_of(cluster.api, shop)}
    invoices = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "invoices", "namespace": "shop"}}
    shared = [item for item, name in zip(shop, targets, strict=True) if name in SHARED]
    billing = tmp_path_factory.mktemp("billing")
    (billing / "billing.yaml").write_text(yaml.safe_dump_all([*shared, {**invoices, "data": {"to": "customers"}}]))
    second = run_billing(cluster, billing)
    assert second.exit_code == 0, str(second)

    before = {name: live for name, target in targets.items() if (live := read(cluster, target))}
    with Probe(cluster.kubeconfig, [targets[name] for name in SHARED | KEPT]) as probe:
        result = run_handoff(cluster, "remove", "--component=shop", "--namespace=shop", "--timeout=3m")
    assert result.exit_code == 0, str(result)
    after = {name: read(cluster, target) for name, target in targets.items()}
    return Removal(cluster, result, before, after, probe.report, billing)


def run_billing(cluster: Cluster, source: Path) -> HookResult:
    named = ("--component=billing", "--namespace=billing", "--timeout=3m")
    return run_handoff(cluster, "run", "--source", source, *named, environment=SHARING)


def read(cluster: Cluster, target: Target) -> dict[str, Any] | None:
    answer = cluster.api.request("GET", target.path)
    return answer.body if answer.status == 200 else None


def test_all_of_the_component_goes_but_what_is_shared_or_kept(removal: Removal) -> None:
    assert len(removal.before) > 20
    assert {name for name, live in removal.after.items() if live is not None} == SHARED | KEPT


def test_its_sets_and_its_lease_are_gone(removal: Removal) -> None:
    sets = removal.cluster.api.request("GET", "/apis/installersets.io/v1alpha1/installersets")
    assert {one["spec"]["component"] for one in sets.body["items"]} == {"billing"}
    lease = "/apis/coordination.k8s.io/v1/namespaces/shop/leases/handoff-shop"
    assert removal.cluster.api.request("GET", lease).status == 404


def test_what_stays_was_never_missing_nor_replaced(removal: Removal) -> None:
    assert removal.probe.reads > 0
    assert [str(resource) for resource in removal.probe.gone()] == []


@pytest.mark.parametrize("name", sorted(SHARED))
def test_what_is_shared_is_handed_over_with_the_other_components_mark_and_values(removal: Removal, name: str) -> None:
    before, after = removal.before[name], removal.after[name]
    assert after is not None
    assert OWNER in before["metadata"]["labels"]
    assert OWNER not in after["metadata"]["labels"]
    assert after["metadata"]["labels"]["owner.installersets.io/billing"] == "billing"
    assert {key: after.get(key) for key in ("spec", "data")} == {key: before.get(key) for key in ("spec", "data")}
    assert named(removal.result, "handedOver", name) == "handed over to billing"


@pytest.mark.parametrize("name", sorted(KEPT))
def test_what_is_kept_by_rule_is_given_up_and_listed_with_the_reason(removal: Removal, name: str) -> None:
    after = removal.after[name]
    assert after is not None
    assert OWNER not in (after["metadata"].get("labels") or {})
    assert APPLIED not in (after["metadata"].get("annotations") or {})
    assert after["spec"] == removal.before[name]["spec"]
    assert named(removal.result, "kept", name)


@pytest.mark.parametrize("name", sorted(SHARED | KEPT))
def test_no_field_of_what_stays_is_held_by_the_component_any_more(removal: Removal, name: str) -> None:
    after = removal.after[name]
    assert after is not None
    assert "handoff:shop:shop" in {entry["manager"] for entry in removal.before[name]["metadata"]["managedFields"]}
    assert "handoff:shop:shop" not in {entry["manager"] for entry in after["metadata"].get("managedFields", [])}


def test_the_component_that_shared_with_it_needs_no_change(removal: Removal) -> None:
    again = removal.run_billing()
    assert again.exit_code == 0, str(again)
    counts = again.report["counts"]
    assert (counts["created"], counts["changed"], counts["pruned"]) == (0, 0, 0)


def test_a_second_removal_finds_nothing_to_do(removal: Removal) -> None:
    again = run_handoff(removal.cluster, "remove", "--component=shop", "--namespace=shop")
    assert again.exit_code == 0, str(again)
    assert again.report["counts"]["pruned"] == 0
    assert read(removal.cluster, Target("", "v1", "Namespace", "namespaces", "", "shop")) is not None


def named(result: HookResult, listed: str, name: str) -> str:
    """Why an object, named as the probe does, stands on one of the result's lists."""
    kind, _, rest = name.partition(" ")
    found = [e for e in result.report[listed] if e["object"].split(".")[0].split()[0] == kind]
    (entry,) = (e for e in found if e["object"].endswith(f" {rest}"))
    why: str = entry["why"]
    return why
