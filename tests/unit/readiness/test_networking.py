"""When Services and Ingresses are ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.annotations import WAIT_FOR
from hook.manifests.identity import Object
from hook.readiness.assess import assess
from hook.readiness.related import Unrelated
from hook.readiness.state import State
from tests.unit.readiness.samples import judged, live, state

SELECTOR = {"selector": {"app": "z"}}
ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}


def service(asked: str | None = None, status: Any = None, **spec: Any) -> Object:
    annotations = {} if asked is None else {WAIT_FOR: asked}
    return live("v1", "Service", metadata={"annotations": annotations}, spec=spec, status=status)


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "ClusterIP", **SELECTOR},
        {"clusterIP": "None", **SELECTOR},
        {"type": "ExternalName", "externalName": "a.example"},
        {"type": "NodePort", "clusterIP": "10.0.0.1"},
        {},
    ],
)
def test_a_service_is_ready_by_existing(spec: Object) -> None:
    verdict = judged(service(**spec), endpoints={("ns", "x"): 0})
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


@pytest.mark.parametrize(
    ("ip", "expected"), [("10.0.0.9", State.CURRENT), ("", State.IN_PROGRESS), (None, State.IN_PROGRESS)]
)
def test_a_load_balancer_has_to_have_its_cluster_ip(ip: str | None, expected: State) -> None:
    assert state(service(type="LoadBalancer", clusterIP=ip)) is expected


@pytest.mark.parametrize(("ready", "expected"), [(0, State.IN_PROGRESS), (1, State.CURRENT), (2, State.CURRENT)])
def test_endpoints_are_waited_for_on_request(ready: int, expected: State) -> None:
    assert state(service("endpoints", **SELECTOR), endpoints={("ns", "x"): ready}) is expected


def test_a_selector_that_matches_no_pod_is_the_reason() -> None:
    verdict = judged(service("endpoints", **SELECTOR), endpoints={("ns", "x"): 0}, pods=[])
    assert verdict.reason == "its selector matches no pod"


def test_pods_that_are_not_ready_are_another_reason() -> None:
    verdict = judged(service("endpoints", **SELECTOR), endpoints={("ns", "x"): 0}, pods=[{}])
    assert verdict.reason == "none of its endpoints is ready"


def test_endpoints_that_cannot_be_looked_at_are_warned_about() -> None:
    verdict = judged(service("endpoints", **SELECTOR))
    assert verdict.state is State.CURRENT
    assert verdict.warning


@pytest.mark.parametrize(
    "spec", [{"type": "ExternalName"}, {"type": "ExternalName", **SELECTOR}, {"selector": {}}, {"selector": None}]
)
def test_endpoints_that_never_come_are_warned_about_and_not_waited_for(spec: Object) -> None:
    verdict = judged(service("endpoints", **spec), endpoints={("ns", "x"): 0})
    assert verdict.state is State.CURRENT
    assert verdict.warning


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, State.IN_PROGRESS),
        ({"loadBalancer": {}}, State.IN_PROGRESS),
        ({"loadBalancer": {"ingress": []}}, State.IN_PROGRESS),
        ({"loadBalancer": {"ingress": [{}]}}, State.IN_PROGRESS),
        ({"loadBalancer": {"ingress": ["192.0.2.1"]}}, State.IN_PROGRESS),
        (ADDRESS, State.CURRENT),
        ({"loadBalancer": {"ingress": [{"hostname": "lb.example"}]}}, State.CURRENT),
    ],
)
def test_an_address_is_waited_for_on_request(status: Any, expected: State) -> None:
    assert state(service("load-balancer", status, type="LoadBalancer", clusterIP="10.0.0.9")) is expected
    asking = {"annotations": {WAIT_FOR: "load-balancer"}}
    assert state(live("networking.k8s.io/v1", "Ingress", metadata=asking, status=status)) is expected


def test_an_address_of_what_is_no_load_balancer_is_warned_about() -> None:
    verdict = judged(service("load-balancer", type="ClusterIP"))
    assert verdict.state is State.CURRENT
    assert "LoadBalancer" in (verdict.warning or "")


@pytest.mark.parametrize(("ready", "status"), [(0, ADDRESS), (1, None)])
def test_both_may_be_asked_for(ready: int, status: Any) -> None:
    obj = service("endpoints, load-balancer", status, type="LoadBalancer", clusterIP="10.0.0.9", **SELECTOR)
    assert state(obj, endpoints={("ns", "x"): ready}) is State.IN_PROGRESS


def test_a_word_that_means_nothing_is_warned_about() -> None:
    verdict = judged(service("endpoint", **SELECTOR))
    assert verdict.state is State.CURRENT
    assert "endpoint means nothing here" in (verdict.warning or "")


def test_the_annotation_of_the_manifest_counts_not_that_of_the_live_object() -> None:
    asking = service("load-balancer", type="LoadBalancer", clusterIP="10.0.0.9")
    silent = service(type="LoadBalancer", clusterIP="10.0.0.9")
    assert assess(asking, Unrelated(), manifest=silent).state is State.CURRENT
    assert assess(silent, Unrelated(), manifest=asking).state is State.IN_PROGRESS


def test_an_ingress_is_ready_by_existing() -> None:
    assert state(live("networking.k8s.io/v1", "Ingress", spec={}, status={"loadBalancer": {}})) is State.CURRENT
