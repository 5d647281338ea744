"""What is the same resource, and what is another one, when a generation goes (B01, B02, B03, B05, B15)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import config_map, custom, definition, namespace_of
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def event(namespace: str, *, in_events_group: bool) -> Object:
    """One stored object that the server serves under two groups, as it once did for Ingresses and Deployments."""
    common = {
        "metadata": {"name": "installed", "namespace": namespace},
        "action": "Install",
        "reason": "Installed",
        "type": "Normal",
        "eventTime": "2026-01-01T00:00:00.000000Z",
    }
    about = {"kind": "Namespace", "name": namespace, "namespace": namespace, "apiVersion": "v1"}
    if in_events_group:
        names = {"reportingController": "example.org/shop", "regarding": about, "note": "by the shop"}
        return {"apiVersion": "events.k8s.io/v1", "kind": "Event", "reportingInstance": "shop-1", **names, **common}
    names = {"reportingComponent": "example.org/shop", "involvedObject": about, "message": "by the shop"}
    return {"apiVersion": "v1", "kind": "Event", "reportingInstance": "shop-1", **names, **common}


def test_b01_an_object_that_moves_to_another_group_is_renamed_not_deleted(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    old, new = event(namespace, in_events_group=False), event(namespace, in_events_group=True)
    shop.run(old)
    uid = present(shared_cluster, old)["metadata"]["uid"]
    result = shop.run(new)
    assert shop.deletions == []
    assert present(shared_cluster, new)["metadata"]["uid"] == uid
    assert [entry["group"] for one in shop.sets for entry in one["spec"]["resources"]] == ["events.k8s.io"]
    assert "is now Event.events.k8s.io" in str(result.report["kept"])


def test_b02_a_version_is_no_part_of_what_a_resource_is(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    in_cluster(definition(group, "Alarm", "v1", "v1beta1"))
    old, new = custom(group, "Alarm", namespace, "cpu", "v1beta1"), custom(group, "Alarm", namespace, "cpu")
    shop.run(old)
    uid = present(shared_cluster, old)["metadata"]["uid"]
    shop.run(new)
    assert shop.deletions == []
    assert present(shared_cluster, new)["metadata"]["uid"] == uid


def test_b03_the_same_kind_and_name_in_another_group_is_another_resource(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    in_cluster(definition(f"a.{group}", "Site", scope="Cluster"), definition(f"b.{group}", "Site", scope="Cluster"))
    a, b = custom(f"a.{group}", "Site", "", "main"), custom(f"b.{group}", "Site", "", "main")
    shop.run(a, b)
    uid = present(shared_cluster, a)["metadata"]["uid"]
    shop.run(b)
    assert live(shared_cluster, a) is None
    assert live(shared_cluster, b) is not None
    (sent,) = [r for r in shop.proxy.writes if r.method == "DELETE" and r.plural == "sites"]
    assert f"/apis/a.{group}/" in sent.path
    assert sent.json["preconditions"]["uid"] == uid


def test_b05_only_what_the_inventory_lists_is_deleted(
    shop: Component, shared_cluster: Cluster, namespace: str, in_cluster: Callable[..., None]
) -> None:
    other = namespace_of(f"{namespace}-other", labels={shop.mark: "elsewhere", "app.kubernetes.io/name": "shop"})
    volume: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{namespace}-pv", "labels": {shop.mark: namespace}},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": f"/tmp/{namespace}"},
        },
    }
    marked = config_map(namespace, "copy", labels={shop.mark: namespace})
    in_cluster(other, volume)
    shared_cluster.load([marked])
    mine = config_map(namespace, "a")
    shop.run(mine)
    shop.proxy.forget()
    shop.run()
    assert shop.deletions == ["configmaps a"]
    for kept in (other, volume, marked):
        assert live(shared_cluster, kept) is not None


@pytest.mark.parametrize("wanted", [True, False], ids=["still-wanted", "no-longer-wanted"])
def test_b15_a_version_that_is_served_no_more_gives_way_to_one_that_is(
    shop: Component,
    shared_cluster: Cluster,
    namespace: str,
    group: str,
    in_cluster: Callable[..., None],
    wanted: bool,
) -> None:
    in_cluster(definition(group, "Budget", "v1", "v1beta1"))
    old, new = custom(group, "Budget", namespace, "p", "v1beta1"), custom(group, "Budget", namespace, "p")
    shop.run(old)
    in_cluster(definition(group, "Budget", "v1"))
    shop.proxy.forget()
    shop.run(*([new] if wanted else []))
    assert shop.deletions == ([] if wanted else ["budgets p"])
    assert (live(shared_cluster, new) is not None) is wanted
    assert all("/v1beta1/" not in request.path for request in shop.proxy.writes)


def test_b30_fields_recorded_at_a_version_that_is_served_no_more_are_moved(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    in_cluster(definition(group, "Gear", "v1", "v1alpha1"))
    old, new = custom(group, "Gear", namespace, "one", "v1alpha1"), custom(group, "Gear", namespace, "one")
    old["spec"] = {"size": 1, "teeth": 12}
    shop.run(old)
    in_cluster(definition(group, "Gear", "v1"))
    shop.proxy.forget()
    shop.run(new)
    done = [r.request for r in shop.proxy.requests if r.request.is_write and r.status == 200]
    assert [request.is_apply for request in done if request.plural == "gears"] == [False, True]
    after = present(shared_cluster, new)
    assert after["spec"] == {"size": 1}
    assert {entry["apiVersion"] for entry in after["metadata"]["managedFields"]} == {f"{group}/v1"}
