"""Custom resources come after their definitions: established, served, with the new schema, and convertible."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import faults
from tests.integration.readiness.admission import (
    WebhookPod,
    free_port,
    host_address,
    webhook_deployment,
    webhook_service,
)
from tests.integration.scenarios.components import Component, applies, present
from tests.integration.scenarios.objects import custom, definition
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


@pytest.fixture
def gears(group: str, shared_cluster: Cluster) -> Any:
    """The group; its definition is deleted afterwards."""
    yield group
    shared_cluster.kubectl("delete", "crd", f"gears.{group}", "--ignore-not-found", "--wait=false", check=False)


def with_fields(group: str, *fields: str) -> Object:
    """A definition whose spec has these fields and no others."""
    properties = {"size": {"type": "integer"}, **{name: {"type": "string"} for name in fields}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    crd = definition(group, "Gear", "v1")
    crd["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": schema}
    return crd


def gear(group: str, namespace: str, version: str = "v1", **spec: str) -> Object:
    manifest = custom(group, "Gear", namespace, "one", version)
    manifest["spec"].update(spec)
    return manifest


def test_a_field_may_come_together_with_the_schema_that_knows_it(
    shop: Component, shared_cluster: Cluster, namespace: str, gears: str
) -> None:
    """The preflight must not refuse it by the old schema; nor may the server's delay in taking up the new one."""
    shop.run(with_fields(gears), gear(gears, namespace))
    fields: list[str] = []
    for name in ("teeth", "colour", "maker"):
        fields.append(name)
        wanted = gear(gears, namespace, **dict.fromkeys(fields, "x"))
        shop.run(with_fields(gears, *fields), wanted)
        assert present(shared_cluster, wanted)["spec"] == wanted["spec"]


def test_a_field_that_no_schema_knows_is_refused_all_the_same(
    shop: Component, shared_cluster: Cluster, namespace: str, gears: str
) -> None:
    shop.run(with_fields(gears), gear(gears, namespace))
    result = shop.run(with_fields(gears, "teeth"), gear(gears, namespace, tooth="x"), code=3)
    assert ".spec.tooth: field not declared in schema" in str(result)


def test_b24_the_old_definitions_word_does_not_count_for_the_new_one(
    shop: Component, shared_cluster: Cluster, namespace: str, gears: str
) -> None:
    """The apply of the new definition fails at first; the old one is Established meanwhile, without version v2."""
    shop.run(definition(gears, "Gear", "v1"), gear(gears, namespace))
    shop.proxy.forget()
    shop.proxy.on(
        applies("customresourcedefinitions"), faults.status(409, "Conflict", "the object has been modified"), times=1
    )
    wanted = gear(gears, namespace, "v2")
    shop.run(definition(gears, "Gear", "v1", "v2"), wanted)
    statuses = [(r.request.plural, r.status) for r in shop.proxy.requests if r.request.is_apply and r.request.is_write]
    assert statuses == [("customresourcedefinitions", 409), ("customresourcedefinitions", 200), ("gears", 200)]
    assert present(shared_cluster, wanted)


def test_a_custom_resource_waits_for_the_webhook_that_converts_it(
    shop: Component, shared_cluster: Cluster, namespace: str, gears: str, request: pytest.FixtureRequest
) -> None:
    """Definition, webhook server and a resource of a version that is not the stored one come in one input."""
    address = host_address()
    if address is None or request.config.getoption("--kubeconfig") is not None:
        pytest.skip("the API server must reach this machine at an address that is no loopback")
    port = free_port()
    with WebhookPod(shared_cluster, namespace, "converter", port, "converter") as server:
        crd = definition(gears, "Gear", "v1", "v2")
        client = {
            "service": {"namespace": namespace, "name": "converter"},
            "caBundle": base64.b64encode(server.authority.cert_pem.bytes()).decode(),
        }
        webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
        crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
        wanted = gear(gears, namespace, "v2")
        shop.run(
            crd,
            webhook_deployment(namespace, "converter", "converter", port, address),
            webhook_service(namespace, "converter", app="converter"),
            wanted,
        )
        assert present(shared_cluster, wanted)["spec"] == wanted["spec"]
        assert server.served


def test_a_definition_is_not_ready_before_its_conversion_webhook_can_be_called(
    shop: Component, namespace: str, gears: str
) -> None:
    crd = definition(gears, "Gear", "v1", "v2")
    client = {"service": {"namespace": namespace, "name": "converter"}}
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
    crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    service = webhook_service(namespace, "converter", app="converter")
    result = shop.run(crd, service, options=("--timeout=4s",), code=124)
    (entry,) = result.report["waitingFor"]
    assert entry["reason"] == "its conversion webhook cannot be called yet"
    assert entry["waitingFor"] == f"a ready endpoint of Service {namespace}/converter"
