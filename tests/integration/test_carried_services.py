"""Bodies with carried ports and selectors, as the API server takes them."""

from __future__ import annotations

from typing import Any

import pytest

from hook.generations.carry_over import carry_over
from tests.cluster.cluster import Cluster
from tests.integration.server_side_apply import OURS, Object, applied, apply

pytestmark = pytest.mark.cluster

Port = dict[str, Any]


def port(number: int, name: str | None = None, **more: Any) -> Port:
    return {"port": number, "protocol": "TCP", **({"name": name} if name else {}), **more}


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "one unnamed port for another": ({"ports": [port(80)]}, {"ports": [port(81)]}),
    "a name moves to another port": ({"ports": [port(80, "http")]}, {"ports": [port(81, "http")]}),
    "names are swapped": (
        {"ports": [port(80, "a"), port(81, "b")]},
        {"ports": [port(81, "a"), port(82, "b")]},
    ),
    "a nodePort moves with its name": (
        {"type": "NodePort", "ports": [port(80, "a", nodePort=30181)]},
        {"type": "NodePort", "ports": [port(81, "a", nodePort=30181)]},
    ),
    "a nodePort moves to another name": (
        {"type": "NodePort", "ports": [port(80, "a", nodePort=30182)]},
        {"type": "NodePort", "ports": [port(81, "b", nodePort=30182)]},
    ),
    "NodePort becomes ClusterIP": (
        {"type": "NodePort", "ports": [port(80, "a", nodePort=30183)]},
        {"ports": [port(81, "b")]},
    ),
    "ClusterIP becomes LoadBalancer": (
        {"ports": [port(80, "a")]},
        {"type": "LoadBalancer", "ports": [port(81, "b", nodePort=30184)]},
    ),
    "a nodePort moves to another protocol": (
        {"type": "NodePort", "ports": [port(53, "dns", nodePort=30185)]},
        {"type": "NodePort", "ports": [port(53, "dns", protocol="UDP", nodePort=30185)]},
    ),
    "headless": (
        {"clusterIP": "None", "selector": {"a": "b"}, "ports": [port(80)]},
        {"clusterIP": "None", "selector": {"a": "c"}},
    ),
    "becomes ExternalName": (
        {"selector": {"a": "b"}, "ports": [port(80)]},
        {"type": "ExternalName", "externalName": "x.example.org"},
    ),
    "was ExternalName": (
        {"type": "ExternalName", "externalName": "x.example.org"},
        {"selector": {"a": "b"}, "ports": [port(80)]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_carried_body_and_then_the_exact_one_are_accepted(
    shared_cluster: Cluster, namespace: str, case: str
) -> None:
    api = shared_cluster.api
    before, after = CASES[case]
    metadata = {"name": "s", "namespace": namespace}
    old: Object = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": before}
    new: Object = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": after}
    first = carry_over(new, applied(api, old), OURS)
    between = applied(api, first.obj)
    assert numbers(between) >= numbers(new)
    if after.get("type") != "ExternalName":
        assert numbers(between) >= numbers(old)
    again = carry_over(new, between, OURS)
    assert (again.obj, again.digest) == (first.obj, first.digest)
    exact = apply(api, new)
    assert exact.status == 200, exact.body
    assert numbers(exact.body) == numbers(new)
    assert carry_over(new, exact.body, OURS).digest == ""


def numbers(service: Object) -> set[tuple[int, str]]:
    return {(one["port"], one["protocol"]) for one in service["spec"].get("ports") or ()}
