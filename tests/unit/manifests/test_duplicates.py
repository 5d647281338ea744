"""One resource twice, or one key twice in a list that is keyed: refused, both places named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hook.errors import InvalidInput
from hook.manifests.load import load, place
from hook.manifests.reader import read_documents
from tests.unit.manifests.inputs import config_map, loaded, refusal


def pod(**spec: Any) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec})


def test_one_identity_twice_is_refused_with_both_places() -> None:
    documents = read_documents(json.dumps(config_map()).encode(), "b.json")
    documents += read_documents(b"\n" + json.dumps(config_map()).encode(), "a.json")
    with pytest.raises(InvalidInput) as caught:
        load(documents)
    assert str(caught.value) == "b.json:1: ConfigMap front: is already at a.json:2; keep one of them"


def test_the_version_does_not_make_another_resource() -> None:
    text = "\n---\n".join(
        f"apiVersion: autoscaling/{version}\nkind: HorizontalPodAutoscaler\nmetadata: {{name: x}}"
        for version in ("v1", "v2")
    )
    assert "is already at deploy.yaml:1" in refusal(text)


def test_group_and_namespace_make_another_resource() -> None:
    objs = [config_map(), config_map(namespace="shop"), config_map() | {"apiVersion": "example.org/v1"}]
    assert len(loaded("".join(json.dumps(obj) for obj in objs)).items) == 3


def test_two_that_meet_in_the_target_namespace_are_refused() -> None:
    manifests = loaded(json.dumps(config_map()) + json.dumps(config_map(namespace="shop")))
    with pytest.raises(InvalidInput, match="ConfigMap shop/front: is already at"):
        place(manifests.items, "shop", lambda _: True)
    assert len(place(manifests.items, "bank", lambda _: True)) == 2


def test_two_service_ports_that_are_one_by_default_are_refused() -> None:
    """B34: the second case."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"}}
    service["spec"] = {"ports": [{"port": 53}, {"port": 53, "protocol": "TCP"}]}
    assert refusal(json.dumps(service)) == (
        "deploy.yaml:1: Service dns: spec.ports[1]: has the same key (port 53, protocol TCP) as spec.ports[0]"
    )


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"containers": [{"name": "a"}, {"name": "a"}]}, "spec.containers[1]"),
        ({"initContainers": [{"name": "a"}, {"name": "a"}]}, "spec.initContainers[1]"),
        ({"volumes": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, "spec.volumes[2]"),
        ({"containers": [{"name": "a", "env": [{"name": "X"}, {"name": "X"}]}]}, "spec.containers[0].env[1]"),
        (
            {"containers": [{"name": "a", "ports": [{"containerPort": 1}, {"containerPort": 1, "protocol": "TCP"}]}]},
            "spec.containers[0].ports[1]",
        ),
        (
            {"containers": [{"name": "a", "volumeMounts": [{"mountPath": "/a"}, {"mountPath": "/a"}]}]},
            "spec.containers[0].volumeMounts[1]",
        ),
        ({"imagePullSecrets": [{"name": "a"}, {"name": "a"}]}, "spec.imagePullSecrets[1]"),
        ({"hostAliases": [{"ip": "::1"}, {"ip": "::1"}]}, "spec.hostAliases[1]"),
    ],
)
def test_an_entry_twice_in_a_pod_is_refused_with_its_path(spec: dict[str, Any], path: str) -> None:
    assert f"Pod x: {path}: has the same key" in refusal(pod(**spec))


def test_a_webhook_twice_is_refused() -> None:
    obj: dict[str, Any] = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration"}
    obj |= {"metadata": {"name": "x"}, "webhooks": [{"name": "a.b.c"}, {"name": "a.b.c"}]}
    assert "webhooks[1]: has the same key (name a.b.c) as webhooks[0]" in refusal(json.dumps(obj))


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [{"name": "a", "ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}]},
        {"containers": [{"name": "a", "args": ["x", "x"]}], "tolerations": [{"key": "a"}, {"key": "a"}]},
        {"containers": [{}, {}], "volumes": [None, 1, "x", {"name": {}}, {"name": {}}]},
        {"containers": "odd", "volumes": {"name": "a"}},
    ],
)
def test_entries_that_are_told_apart_or_tell_nothing_are_left_to_the_server(spec: dict[str, Any]) -> None:
    assert loaded(pod(**spec)).items
