"""Objects of a file as each other's related objects."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.annotations import WAIT_FOR
from hook.manifests.identity import Kind, Object
from hook.readiness.assess import assess
from hook.readiness.offline import FileRelated
from hook.readiness.state import Readiness, State
from tests.unit.readiness.samples import condition, live

SERVICE = live("v1", "Service", metadata={"name": "hook"}, spec={"selector": {"app": "hook"}})
ASKING = {**SERVICE, "metadata": {**SERVICE["metadata"], "annotations": {WAIT_FOR: "endpoints"}}}


def endpoint_slice(ready: Any, service: str = "hook", namespace: str = "ns") -> Object:
    return live(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        metadata={"namespace": namespace, "labels": {"kubernetes.io/service-name": service}},
        endpoints=[{"addresses": ["192.0.2.1"], "conditions": {"ready": ready}}],
    )


def pod(ready: str = "True", app: str = "hook") -> Object:
    return live("v1", "Pod", metadata={"labels": {"app": app}}, status={"conditions": [condition("Ready", ready)]})


def workload(kind: str, app: str = "hook", **status: Any) -> Object:
    return live("apps/v1", kind, spec={"template": {"metadata": {"labels": {"app": app}}}}, status=status)


def endpoints(*objects: Any) -> int | None:
    return FileRelated(objects).ready_endpoints("ns", "hook")


def verdict(obj: Object, *others: Object) -> Readiness:
    return assess(obj, FileRelated([obj, *others]))


def test_a_service_that_is_not_in_the_file_cannot_be_told_of() -> None:
    related = FileRelated([endpoint_slice(True, "other")])
    assert related.service("ns", "hook") is None
    assert related.ready_endpoints("ns", "hook") is None


def test_a_service_of_another_namespace_is_another_service() -> None:
    assert FileRelated([SERVICE]).service("elsewhere", "hook") is None


def test_slices_are_counted_where_there_are_any() -> None:
    assert endpoints(SERVICE, endpoint_slice(True), endpoint_slice(None), endpoint_slice(False), pod("False")) == 2
    assert endpoints(SERVICE, endpoint_slice(False), pod()) == 0


def test_slices_of_another_service_or_namespace_do_not_count() -> None:
    assert endpoints(SERVICE, endpoint_slice(True, "other"), endpoint_slice(True, namespace="elsewhere")) == 0


def test_endpoints_are_counted_where_there_are_no_slices() -> None:
    old = live("v1", "Endpoints", metadata={"name": "hook"}, subsets=[{"addresses": [{"ip": "a"}]}])
    assert endpoints(SERVICE, old) == 1


def test_ready_pods_are_counted_where_there_is_neither() -> None:
    assert endpoints(SERVICE, pod(), pod("False"), pod(app="other")) == 1


@pytest.mark.parametrize(("kind", "status"), [("Deployment", {"readyReplicas": 2}), ("DaemonSet", {"numberReady": 2})])
def test_workloads_are_counted_where_their_pods_are_not_in_the_file(kind: str, status: Any) -> None:
    assert endpoints(SERVICE, workload(kind, **status)) == 2
    assert endpoints(SERVICE, workload(kind, app="other", **status)) == 0


def test_nothing_that_a_service_selects_is_no_endpoint() -> None:
    assert endpoints(SERVICE) == 0


def test_what_stands_behind_a_service_without_a_selector_cannot_be_told() -> None:
    assert endpoints({**SERVICE, "spec": {}}) is None


def test_a_service_that_asks_for_endpoints_waits_for_pods_of_the_file() -> None:
    assert verdict(ASKING).reason == "its selector matches no pod"
    assert verdict(ASKING, workload("Deployment", replicas=0)).reason == "its selector matches no pod"
    assert verdict(ASKING, workload("Deployment", replicas=1)).reason == "none of its endpoints is ready"
    assert verdict(ASKING, pod("False")).reason == "none of its endpoints is ready"
    assert verdict(ASKING, pod()).state is State.CURRENT


def test_pods_of_a_workload_are_those_that_its_selector_matches() -> None:
    owner = live("apps/v1", "Deployment", spec={"selector": {"matchLabels": {"app": "hook"}}})
    assert FileRelated([pod(), pod(app="other")]).pods_of(owner) == [pod()]


@pytest.mark.parametrize(("mode", "expected"), [("WaitForFirstConsumer", "WaitForFirstConsumer"), (None, "Immediate")])
def test_the_mode_of_a_class_in_the_file_is_told(mode: str | None, expected: str) -> None:
    one = live("storage.k8s.io/v1", "StorageClass", metadata={"name": "fast"}, volumeBindingMode=mode)
    related = FileRelated([one])
    assert related.storage_class_mode("fast") == expected
    assert related.storage_class_mode("slow") is None
    assert related.storage_class_mode(None) is None


def test_the_default_class_is_found_by_its_annotation() -> None:
    marked = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    one = live("storage.k8s.io/v1", "StorageClass", metadata=marked, volumeBindingMode="WaitForFirstConsumer")
    assert FileRelated([one]).storage_class_mode(None) == "WaitForFirstConsumer"


def test_a_claim_that_waits_for_a_consumer_is_ready_unless_the_file_mounts_it() -> None:
    storage = live(
        "storage.k8s.io/v1", "StorageClass", metadata={"name": "fast"}, volumeBindingMode="WaitForFirstConsumer"
    )
    claim = live("v1", "PersistentVolumeClaim", spec={"storageClassName": "fast"}, status={"phase": "Pending"})
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}]
    mounting = live("apps/v1", "Deployment", spec={"template": {"spec": {"volumes": volumes}}})
    assert verdict(claim, storage).state is State.CURRENT
    assert verdict(claim, storage, mounting).state is State.IN_PROGRESS


def test_what_only_a_cluster_knows_is_not_told() -> None:
    related = FileRelated([])
    assert related.served("apps", "v1", "Deployment") is None
    assert related.has_status(Kind("example.org", "Widget"), "v1") is None
    assert related.age_seconds(SERVICE) is None


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [],
        {"kind": "Pod"},
        live("v1", "Pod", metadata={"labels": []}),
        live("v1", "Pod", metadata={"labels": {"app": "hook"}}, status=7),
        live("apps/v1", "Deployment", spec={"template": 3}),
        live("discovery.k8s.io/v1", "EndpointSlice", metadata={"labels": "x"}),
    ],
)
def test_an_odd_object_of_the_file_tells_nothing_and_harms_nobody(odd: Any) -> None:
    assert endpoints(odd, SERVICE, pod()) == 1
    assert FileRelated([odd]).claim_is_mounted("ns", "x") is False
