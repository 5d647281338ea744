"""What one live read says decides, whatever the record says: the rows that no other scenario has."""

from __future__ import annotations

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Fault, faults
from tests.hook_inside import run_inside
from tests.integration.scenarios.components import Component, deletes, live, present
from tests.integration.scenarios.objects import config_map
from tests.live_objects import Object

pytestmark = pytest.mark.cluster

KEEP_MARKS = {
    "installersets.io/prune": "disabled",
    "helm.sh/resource-policy": "keep",
    "argocd.argoproj.io/sync-options": "Validate=false,Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


def change(cluster: Cluster, obj: Object, patch: Object) -> None:
    metadata = obj["metadata"]
    path = f"/api/v1/namespaces/{metadata['namespace']}/configmaps/{metadata['name']}"
    answer = cluster.api.request("PATCH", path, patch, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def test_what_the_ecosystem_marks_as_kept_stays_and_is_given_up_only_by_a_removal(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    kept = [config_map(namespace, f"kept-{number}") for number in range(len(KEEP_MARKS))]
    shop.run(*kept, config_map(namespace, "gone"))
    for obj, (key, value) in zip(kept, KEEP_MARKS.items(), strict=True):
        change(shared_cluster, obj, {"metadata": {"annotations": {key: value}}})
    result = shop.run()
    assert shop.deletions == ["configmaps gone"]
    for obj, key in zip(kept, KEEP_MARKS, strict=True):
        assert live(shared_cluster, obj) is not None
        assert key in shop.retained[f"ConfigMap {obj['metadata']['name']}"]
    assert len(result.objects("kept")) == len(kept)
    change(shared_cluster, kept[0], {"metadata": {"annotations": {"installersets.io/prune": None}}})
    shop.run()
    assert live(shared_cluster, kept[0]) is None
    removal = shop.remove()
    assert len(removal.objects("kept")) == len(kept) - 1
    for obj in kept[1:]:
        metadata = present(shared_cluster, obj)["metadata"]
        assert shop.mark not in (metadata.get("labels") or {})
        assert shop.manager not in {entry["manager"] for entry in metadata.get("managedFields") or []}
        assert present(shared_cluster, obj)["data"] == {"key": "value"}
    assert shop.sets == []


@pytest.mark.parametrize("how", ["mark-taken-off", "mark-of-another", "controller", "replaced"])
def test_what_is_somebody_elses_by_now_stays_and_is_forgotten(
    shop: Component, shared_cluster: Cluster, namespace: str, how: str
) -> None:
    mine, owner = config_map(namespace, "mine"), config_map(namespace, "owner")
    shared_cluster.load([owner])
    shop.run(mine)
    if how == "mark-taken-off":
        change(shared_cluster, mine, {"metadata": {"labels": {shop.mark: None}}})
    elif how == "mark-of-another":
        change(shared_cluster, mine, {"metadata": {"labels": {shop.mark: "another-namespace"}}})
    elif how == "controller":
        uid = present(shared_cluster, owner)["metadata"]["uid"]
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid, "controller": True}
        change(shared_cluster, mine, {"metadata": {"ownerReferences": [reference]}})
    else:
        shared_cluster.kubectl("delete", "configmap", "mine", "-n", namespace)
        shared_cluster.load([mine])
    uid = present(shared_cluster, mine)["metadata"]["uid"]
    result = shop.run()
    assert shop.deletions == []
    assert result.objects("foreign") == [f"ConfigMap {namespace}/mine"]
    assert present(shared_cluster, mine)["metadata"]["uid"] == uid
    assert shop.listed == set()


def test_what_was_recreated_with_our_mark_goes_and_that_is_said(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    mine = config_map(namespace, "mine")
    shop.run(mine)
    shared_cluster.kubectl("delete", "configmap", "mine", "-n", namespace)
    shared_cluster.load([config_map(namespace, "mine", labels={shop.mark: namespace})])
    result = shop.run()
    assert live(shared_cluster, mine) is None
    assert "restored or recreated" in str(result.report["warnings"])


def test_a_change_between_read_and_delete_is_read_and_decided_again(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    """Here somebody says in that very moment that it is to be kept."""
    mine = config_map(namespace, "mine")
    shop.run(mine)
    hold = shop.proxy.hold(deletes("configmaps", "mine"))
    with shop.running() as process:
        process.until(lambda: hold.reached, "the DELETE")
        change(shared_cluster, mine, {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}})
        hold.release()
        result = process.wait()
    assert result.exit_code == 0, result
    assert live(shared_cluster, mine) is not None
    assert "helm.sh/resource-policy" in shop.retained["ConfigMap mine"]


REFUSALS = [
    pytest.param(
        faults.status(403, "Forbidden", 'admission webhook "keep.example.org" denied the request: not now'),
        "denied the request",
        id="admission",
    ),
    pytest.param(
        faults.status(
            403,
            "Forbidden",
            'configmaps "mine" is forbidden: User "hook" cannot delete resource "configmaps" in API group ""',
        ),
        "cannot delete",
        id="authorizer",
    ),
    pytest.param(
        faults.status(
            500, "InternalError", 'Internal error occurred: failed calling webhook "keep.example.org": no endpoints'
        ),
        "failed calling webhook",
        id="webhook",
    ),
]


@pytest.mark.parametrize(("fault", "text"), REFUSALS)
def test_a_refused_deletion_is_told_recorded_and_tried_again_by_the_next_run(
    shop: Component, shared_cluster: Cluster, namespace: str, fault: Fault, text: str
) -> None:
    mine, other = config_map(namespace, "mine"), config_map(namespace, "other")
    shop.run(mine, other)
    shop.proxy.on(deletes("configmaps", "mine"), fault)
    result = shop.run(options=("--timeout=9s",), code=6)
    assert result.objects("incomplete") == [f"ConfigMap {namespace}/mine"]
    assert text in str(result.report["incomplete"])
    assert live(shared_cluster, mine) is not None
    assert live(shared_cluster, other) is None
    assert shop.listed == {"ConfigMap mine"}
    shop.run()
    assert live(shared_cluster, mine) is None
    assert shop.listed == set()


def test_an_answer_that_is_lost_counts_by_what_stands_afterwards(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    mine = config_map(namespace, "mine")
    shop.run(mine)
    shop.proxy.on(deletes("configmaps", "mine"), faults.lost_answer())
    result = shop.run()
    assert live(shared_cluster, mine) is None
    assert result.objects("pruned") == [f"ConfigMap {namespace}/mine"]
    assert shop.listed == set()


def test_the_limit_on_pruning_is_checked_before_any_write(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    many = [config_map(namespace, f"map-{number}") for number in range(6)]
    shop.run(*many)
    shop.proxy.forget()
    result = shop.run(many[0], options=("--max-prune=4",), code=3)
    assert "5 of 6 resources would be pruned" in result.report["message"]
    assert shop.proxy.writes == []
    shop.run(many[0], options=("--max-prune=90%",))
    assert shop.listed == {"ConfigMap map-0"}


def test_a_generation_without_any_object_is_refused_unless_it_is_meant(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(config_map(namespace, "a"))
    shop.proxy.forget()
    arguments = [argument for argument in shop.arguments((), (), "run") if argument != "--allow-empty"]
    result = run_inside(shop.proxy.kubeconfig, *arguments)
    assert result.exit_code == 3
    assert shop.proxy.requests == []
    shop.run()
    assert live(shared_cluster, config_map(namespace, "a")) is None
