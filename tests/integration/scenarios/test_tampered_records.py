"""Sets that somebody deletes or edits, and what a backup brings back: no harm, said, and the next run converges."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import config_map, definition, deployment, role
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def generation(namespace: str, version: int) -> tuple[Object, ...]:
    """Something that both have, with a key that only the first knows, and something that only one has."""
    data = {"common": "same", f"only-{version}": "x"}
    return (
        config_map(namespace, "both", data),
        config_map(namespace, f"only-{version}"),
        deployment(namespace, "web", f"v{version}"),
    )


def set_path(one: Object) -> str:
    namespace, name = one["metadata"]["namespace"], one["metadata"]["name"]
    return f"/apis/installersets.io/v1alpha1/namespaces/{namespace}/installersets/{name}"


def edit(cluster: Cluster, one: Object, *operations: Object) -> None:
    answer = cluster.api.request("PATCH", set_path(one), list(operations), content_type="application/json-patch+json")
    assert answer.status == 200, answer.body


def assert_finished(component: Component, cluster: Cluster, namespace: str, version: int) -> None:
    assert component.listed == {"ConfigMap both", f"ConfigMap only-{version}", "Deployment web"}
    assert not [one for one in component.sets if "retiredBy" in one["spec"]]
    data = present(cluster, config_map(namespace, "both"))["data"]
    assert data == {"common": "same", f"only-{version}": "x"}


def test_all_sets_deleted_by_hand_are_recorded_again(shop: Component, shared_cluster: Cluster, namespace: str) -> None:
    objects = generation(namespace, 1)
    shop.run(*objects)
    uids = [present(shared_cluster, obj)["metadata"]["uid"] for obj in objects]
    for one in shop.sets:
        shared_cluster.api.request("DELETE", set_path(one))
    result = shop.run(*objects)
    assert "sets were deleted or edited" in str(result.report["warnings"])
    assert_finished(shop, shared_cluster, namespace, 1)
    assert [present(shared_cluster, obj)["metadata"]["uid"] for obj in objects] == uids


def test_what_only_a_deleted_set_listed_is_found_by_its_mark_and_reported_never_pruned(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(*generation(namespace, 1), role(namespace, "old"))
    for one in shop.sets:
        shared_cluster.api.request("DELETE", set_path(one))
    result = shop.run(*generation(namespace, 2))
    assert shop.deletions == []
    assert {f"ConfigMap {namespace}/only-1", f"Role.rbac.authorization.k8s.io {namespace}/old"} <= set(
        result.objects("warnings")
    )
    assert live(shared_cluster, config_map(namespace, "only-1")) is not None
    assert_finished(shop, shared_cluster, namespace, 2)


def test_a_desired_set_that_is_deleted_in_the_middle_of_a_prune_takes_nothing_with_it(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(*generation(namespace, 1))
    hold = shop.proxy.hold(lambda r: r.method == "DELETE" and r.name == "only-1")
    with shop.running(*generation(namespace, 2)) as process:
        process.until(lambda: hold.reached, "the first deletion")
        for one in shop.sets:
            if "retiredBy" not in one["spec"]:
                shared_cluster.api.request("DELETE", set_path(one))
        hold.release()
        result = process.wait()
    assert result.exit_code in (1, 6), result
    for obj in generation(namespace, 2):
        assert live(shared_cluster, obj) is not None
    shop.run(*generation(namespace, 2))
    assert_finished(shop, shared_cluster, namespace, 2)


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param({"op": "replace", "path": "/spec/resources", "value": []}, id="resources-emptied"),
        pytest.param(
            {
                "op": "add",
                "path": "/spec/resources/-",
                "value": {
                    "group": "",
                    "version": "v1",
                    "kind": "ConfigMap",
                    "namespace": "NAMESPACE",
                    "name": "theirs",
                },
            },
            id="resources-with-somebodys-object",
        ),
        pytest.param(
            {"op": "add", "path": "/spec/retiredBy", "value": {"digest": "0" * 64, "time": "2026-01-01T00:00:00Z"}},
            id="retired",
        ),
        pytest.param({"op": "remove", "path": "/metadata/labels"}, id="labels-taken-off"),
        pytest.param(
            {"op": "replace", "path": "/spec/replaces", "value": [{"name": "NAME", "uid": "UID"}]}, id="replaces-itself"
        ),
    ],
)
def test_an_edited_set_does_no_harm_and_is_put_right(
    shop: Component, shared_cluster: Cluster, namespace: str, operation: Object
) -> None:
    """First the same generation again, then an upgrade from there."""
    theirs = config_map(namespace, "theirs", {"theirs": "yes"})
    shared_cluster.load([theirs])
    shop.run(*generation(namespace, 1))
    before = {
        obj["metadata"]["name"]: present(shared_cluster, obj)["metadata"]["uid"] for obj in generation(namespace, 1)
    }
    for one in shop.sets:
        text = json.dumps(operation).replace("NAMESPACE", namespace).replace("NAME", one["metadata"]["name"])
        edit(shared_cluster, one, json.loads(text.replace("UID", one["metadata"]["uid"])))
    shop.proxy.forget()
    shop.run(*generation(namespace, 1))
    assert shop.deletions == []
    assert_finished(shop, shared_cluster, namespace, 1)
    after = {
        obj["metadata"]["name"]: present(shared_cluster, obj)["metadata"]["uid"] for obj in generation(namespace, 1)
    }
    assert after == before
    shop.run(*generation(namespace, 2))
    assert shop.deletions == ["configmaps only-1"]
    assert_finished(shop, shared_cluster, namespace, 2)
    assert present(shared_cluster, theirs)["data"] == {"theirs": "yes"}


def test_old_sets_edited_before_an_upgrade_never_prune_what_is_desired_or_foreign(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    theirs = config_map(namespace, "theirs")
    shared_cluster.load([theirs])
    shop.run(*generation(namespace, 1))
    static = next(one for one in shop.sets if one["spec"]["part"] == "static")
    for name in ("theirs", "kube-root-ca.crt"):
        line = {"group": "", "version": "v1", "kind": "ConfigMap", "namespace": namespace, "name": name}
        edit(shared_cluster, static, {"op": "add", "path": "/spec/resources/-", "value": line})
    result = shop.run(*generation(namespace, 2))
    assert shop.deletions == ["configmaps only-1"]
    assert f"ConfigMap {namespace}/theirs" in result.objects("foreign")
    assert_finished(shop, shared_cluster, namespace, 2)


def test_a_restored_backup_converges_whatever_uids_and_owners_it_has(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    """Objects and sets come back under other uids, without status, and all fields belong to who restored them."""
    shop.run(*generation(namespace, 1))
    saved = [present(shared_cluster, obj) for obj in generation(namespace, 1)] + shop.sets
    for obj in saved:
        path = set_path(obj) if obj["kind"] == "InstallerSet" else ""
        if path:
            shared_cluster.api.request("DELETE", path)
    shared_cluster.kubectl("delete", "deployment/web", "configmap/both", "configmap/only-1", "-n", namespace)
    shared_cluster.load([restored(obj) for obj in saved], field_manager="backup")
    shop.run(*generation(namespace, 1))
    assert_finished(shop, shared_cluster, namespace, 1)
    result = shop.run(*generation(namespace, 2))
    assert_finished(shop, shared_cluster, namespace, 2)
    assert live(shared_cluster, config_map(namespace, "only-1")) is None
    assert result.report["incomplete"] == []


def restored(obj: Object) -> Object:
    kept = copy.deepcopy(obj)
    kept.pop("status", None)
    for key in ("uid", "resourceVersion", "managedFields", "creationTimestamp", "generation"):
        kept["metadata"].pop(key, None)
    return kept


def test_what_is_kept_is_found_by_a_later_prune_kind(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    gears, claim = definition(group, "Gear"), volume_claim(namespace)
    in_cluster(volume(namespace))
    shop.run(gears, claim, *generation(namespace, 1))
    shop.run(*generation(namespace, 2))
    assert shop.retained.keys() == {f"CustomResourceDefinition gears.{group}", "PersistentVolumeClaim data"}
    shop.run(*generation(namespace, 1))
    assert shop.retained.keys() == {f"CustomResourceDefinition gears.{group}", "PersistentVolumeClaim data"}
    shop.run(*generation(namespace, 1), options=("--prune-kind=PersistentVolumeClaim",))
    assert live(shared_cluster, claim) is None
    assert live(shared_cluster, gears) is not None
    shop.run(gears, *generation(namespace, 1))
    assert shop.retained == {}
    shop.remove("--prune-kind=CustomResourceDefinition")
    assert live(shared_cluster, gears) is None
    assert shop.sets == []


def volume(namespace: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{namespace}-data"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": f"/tmp/{namespace}"},
            "claimRef": {"namespace": namespace, "name": "data"},
        },
    }


def volume_claim(namespace: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": namespace},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "",
            "volumeName": f"{namespace}-data",
        },
    }


def test_three_components_and_three_generations_leave_only_what_is_wanted(
    make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    """A generation that never became ready is dropped half-way for a third one."""
    shop, other = make_component("shop"), make_component("other")
    other.run(config_map(namespace, "others"))
    shop.run(config_map(namespace, "a"), deployment(namespace, "web", "v1"))
    never = deployment(namespace, "web", "v2", pods={"pods.test/ready-after": "never"})
    shop.run(config_map(namespace, "b"), never, options=("--timeout=4s",), code=124)
    assert shop.listed == {"ConfigMap a", "ConfigMap b", "Deployment web"}
    shop.run(config_map(namespace, "c"), deployment(namespace, "web", "v3"))
    assert shop.listed == {"ConfigMap c", "Deployment web"}
    for name, there in (("a", False), ("b", False), ("c", True), ("others", True)):
        assert (live(shared_cluster, config_map(namespace, name)) is not None) is there, name
