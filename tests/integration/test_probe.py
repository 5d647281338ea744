"""The probe catches what it is there to catch, and nothing else."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, ProbeError, Target, targets_of
from tests.cluster.processes import wait_until

pytestmark = pytest.mark.cluster


def configmap(namespace: str, name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}


@pytest.fixture
def targets(shared_cluster: Cluster, namespace: str) -> list[Target]:
    objects = [
        *(configmap(namespace, f"map-{number}") for number in range(20)),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "account", "namespace": namespace}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
    ]
    shared_cluster.load(objects)
    return targets_of(shared_cluster.api, objects)


def test_a_deletion_of_200_ms_is_caught_by_reads_and_by_the_watch(
    shared_cluster: Cluster, targets: list[Target]
) -> None:
    victim = targets[3]
    with Probe(shared_cluster.kubeconfig, targets) as probe:
        assert shared_cluster.api.request("DELETE", victim.path).status == 200
        time.sleep(0.2)  # the gap is the point
        made = shared_cluster.api.request(
            "POST", f"/api/v1/namespaces/{victim.namespace}/configmaps", configmap(victim.namespace, victim.name)
        )
        assert made.status == 201
        time.sleep(0.3)  # let it read what came back
    (caught,) = probe.report.gone()
    assert caught.target == victim
    assert caught.misses >= 1
    assert caught.deleted == 1
    assert caught.uid_changes >= 1
    assert 50 < caught.longest_gap_ms < 2000


def test_a_deletion_too_short_for_any_read_is_caught_by_the_watch(
    shared_cluster: Cluster, targets: list[Target]
) -> None:
    victim = targets[5]
    with Probe(shared_cluster.kubeconfig, targets) as probe:
        shared_cluster.api.request("DELETE", victim.path)
        shared_cluster.api.request(
            "POST", f"/api/v1/namespaces/{victim.namespace}/configmaps", configmap(victim.namespace, victim.name)
        )
    assert [resource.target for resource in probe.report.gone()] == [victim]


def test_an_object_that_is_held_by_a_finalizer_counts_as_terminating(
    shared_cluster: Cluster, targets: list[Target]
) -> None:
    victim = targets[7]

    def patch(finalizers: list[str]) -> None:
        body = {"metadata": {"finalizers": finalizers}}
        shared_cluster.api.request("PATCH", victim.path, body, content_type="application/merge-patch+json")

    patch(["pods.test/hold"])
    with Probe(shared_cluster.kubeconfig, targets) as probe:
        shared_cluster.api.request("DELETE", victim.path)
        time.sleep(0.2)  # a while in which it is read
    patch([])
    (caught,) = probe.report.gone()
    assert (caught.target, caught.terminating, caught.misses) == (victim, 1, 0)


def test_updates_are_not_taken_for_gaps_and_every_resource_is_read(
    shared_cluster: Cluster, targets: list[Target]
) -> None:
    with Probe(shared_cluster.kubeconfig, targets) as probe:
        for number in range(30):
            body = {"data": {"number": str(number)}}
            shared_cluster.api.request(
                "PATCH", targets[number % 20].path, body, content_type="application/merge-patch+json"
            )
    report = probe.report
    assert not report.gone()
    assert report.misses == 0
    assert all(resource.reads >= 2 for resource in report.resources)
    assert 0 < report.longest_interval_ms < 5000


def test_a_restarted_api_server_counts_as_errors_and_not_as_a_gap(fresh_cluster: Cluster) -> None:
    objects = [configmap("default", f"map-{number}") for number in range(5)]
    fresh_cluster.load(objects)
    with Probe(fresh_cluster.kubeconfig, targets_of(fresh_cluster.api, objects)) as probe:
        fresh_cluster.restart_apiserver()
        time.sleep(0.5)  # let it read again
    assert not probe.report.gone()
    assert sum(resource.errors for resource in probe.report.resources) > 0
    assert probe.report.watch_restarts > 0


def test_a_kind_that_is_not_served_for_a_while_is_told_apart_from_a_missing_object(fresh_cluster: Cluster) -> None:
    name = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.test"},
        "spec": {
            "group": "example.test",
            "scope": "Cluster",
            "names": name,
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": schema},
                {"name": "v2", "served": True, "storage": False, "schema": schema},
            ],
        },
    }
    thing = {"apiVersion": "example.test/v1", "kind": "Thing", "metadata": {"name": "one"}}
    fresh_cluster.load([definition, thing])
    second = {**thing, "apiVersion": "example.test/v2"}
    with Probe(fresh_cluster.kubeconfig, targets_of(fresh_cluster.api, [second])) as probe:
        patch = [{"op": "replace", "path": "/spec/versions/1/served", "value": False}]
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.test"
        fresh_cluster.api.request("PATCH", path, patch, content_type="application/json-patch+json")
        wait_until(
            lambda: fresh_cluster.api.request("GET", "/apis/example.test/v2/things").status == 404, "v2 is not served"
        )
        time.sleep(0.3)  # a while in which it is read
    (caught,) = probe.report.gone()
    assert caught.unserved > 0
    assert caught.misses == 0


def test_a_target_that_is_missing_from_the_start_is_an_error(shared_cluster: Cluster, targets: list[Target]) -> None:
    absent = Target("", "v1", "ConfigMap", "configmaps", targets[0].namespace, "absent")
    with pytest.raises(ProbeError, match=r"ConfigMap .*/absent"):
        Probe(shared_cluster.kubeconfig, [*targets, absent]).start()
