"""Webhooks that guard what is changed: not one request is refused while their servers are replaced (B27)."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.integration.readiness.admission import (
    WebhookPod,
    admission_requests,
    free_port,
    host_address,
    webhook_deployment,
    webhook_service,
)
from tests.integration.scenarios.components import Component, present
from tests.integration.scenarios.objects import config_map
from tests.live_objects import Object

pytestmark = pytest.mark.cluster

GUARDED = {"guarded": "yes"}


@dataclass(frozen=True)
class Guard:
    """Two servers of one webhook, old and new, each with an authority of its own."""

    namespace: str
    address: str
    ports: tuple[int, int]
    old: WebhookPod
    new: WebhookPod

    def objects(self, old: bool, *, deployment: str, **spec: object) -> list[Object]:
        """The generation of one of them; `spec` is laid over the webhook."""
        name, server = ("old", self.old) if old else ("new", self.new)
        return [
            webhook_deployment(self.namespace, deployment, name, self.ports[0 if old else 1], self.address),
            webhook_service(self.namespace, "guard", app=deployment),
            configuration(self.namespace, server.authority.cert_pem.bytes(), **spec),
        ]


def configuration(namespace: str, authority: bytes | None, **spec: object) -> Object:
    """A webhook on guarded ConfigMaps of one namespace."""
    client: Object = {"service": {"namespace": namespace, "name": "guard"}}
    if authority is not None:
        client["caBundle"] = base64.b64encode(authority).decode()
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"guard-{namespace}"},
        "webhooks": [
            {
                "name": "guard.example.org",
                "clientConfig": client,
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "objectSelector": {"matchLabels": GUARDED},
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "failurePolicy": "Fail",
                "timeoutSeconds": 5,
                **spec,
            }
        ],
    }


def slow_webhook(guard: Guard) -> list[Object]:
    """Another webhook of the generation, which holds its webhook configurations back until long after the new servers
    of `guard` are Ready: they must be trusted by then all the same."""
    slow = configuration(guard.namespace, b"", objectSelector={"matchLabels": {"guarded": "never"}})
    slow["metadata"]["name"] = f"guard-{guard.namespace}-slow"
    slow["webhooks"][0]["clientConfig"] = {
        "service": {"namespace": guard.namespace, "name": "slow"},
        "caBundle": base64.b64encode(guard.new.authority.cert_pem.bytes()).decode(),
    }
    deployment = webhook_deployment(guard.namespace, "slow", "slow", 8443, guard.address)
    deployment["spec"]["template"]["metadata"]["annotations"]["pods.test/ready-after"] = "6s"
    return [deployment, webhook_service(guard.namespace, "slow", app="slow"), slow]


@pytest.fixture
def guard(shared_cluster: Cluster, namespace: str, request: pytest.FixtureRequest) -> Iterator[Guard]:
    address = host_address()
    if address is None or request.config.getoption("--kubeconfig") is not None:
        pytest.skip("the API server must reach this machine at an address that is no loopback")
    ports = (free_port(), free_port())
    with contextlib.ExitStack() as stack:
        old, new = (
            stack.enter_context(WebhookPod(shared_cluster, namespace, name, port, "guard"))
            for name, port in zip(("old", "new"), ports, strict=True)
        )
        yield Guard(namespace, address, ports, old, new)
    names = (f"guard-{namespace}", f"guard-{namespace}-slow")
    shared_cluster.kubectl("delete", "validatingwebhookconfiguration", *names, "--ignore-not-found", check=False)


@pytest.mark.parametrize(
    "deployments", [("guard-a", "guard-b"), ("guard", "guard")], ids=["another workload", "a rolling update"]
)
def test_no_admission_request_fails_while_a_webhooks_workload_selector_and_authority_are_replaced(
    shop: Component, shared_cluster: Cluster, guard: Guard, deployments: tuple[str, str]
) -> None:
    shop.run(*guard.objects(True, deployment=deployments[0]))
    with admission_requests(shared_cluster, guard.namespace, **GUARDED) as answers:
        wait_until(lambda: answers["allowed"] > 20, "requests are admitted", timeout=20)
        shop.run(*guard.objects(False, deployment=deployments[1], timeoutSeconds=6), *slow_webhook(guard))
        before = guard.new.served
        wait_until(lambda: guard.new.served > before + 20, "the new server is asked", timeout=20)
    assert set(answers) == {"allowed"}, answers
    assert guard.old.served > 20
    assert not guard.old.listening
    assert guard.new.listening
    live = present(shared_cluster, configuration(guard.namespace, None))["webhooks"][0]
    assert base64.b64decode(live["clientConfig"]["caBundle"]) == guard.new.authority.cert_pem.bytes()
    assert live["timeoutSeconds"] == 6


def test_the_servers_of_this_test_do_refuse_a_certificate_that_is_not_trusted(
    shop: Component, shared_cluster: Cluster, guard: Guard
) -> None:
    """Without which the test above could not fail."""
    shop.run(*guard.objects(True, deployment="guard"))
    wrong = configuration(guard.namespace, guard.new.authority.cert_pem.bytes())
    shared_cluster.load([wrong])
    with admission_requests(shared_cluster, guard.namespace, **GUARDED) as answers:
        wait_until(lambda: any("x509" in text for text in answers), "requests fail", timeout=20)


def test_b27_a_webhook_comes_after_its_endpoints_and_goes_before_them(
    shop: Component, shared_cluster: Cluster, guard: Guard
) -> None:
    guarded = config_map(guard.namespace, "conf", labels=GUARDED)
    shop.run(*guard.objects(True, deployment="guard"), guarded)
    applied = [request.plural for request in shop.proxy.writes if request.is_apply]
    assert applied.index("deployments") < applied.index("validatingwebhookconfigurations")
    assert applied[-1] == "validatingwebhookconfigurations"
    shop.proxy.forget()
    shop.run(config_map(guard.namespace, "left"))
    kinds = [line.partition(" ")[0] for line in shop.deletions]
    assert kinds[0] == "validatingwebhookconfigurations"
    assert kinds.index("deployments") < kinds.index("services")


def test_b27_a_write_that_a_rolling_webhook_cannot_answer_is_tried_again(
    shop: Component, shared_cluster: Cluster, guard: Guard, in_cluster: Callable[..., None]
) -> None:
    """The webhook stands and its only pod is away for a while, as with `strategy: Recreate`."""
    in_cluster(configuration(guard.namespace, guard.new.authority.cert_pem.bytes()))
    shared_cluster.load([webhook_service(guard.namespace, "guard", app="guard")])
    deployment = guard.objects(False, deployment="guard")[0]
    result = shop.run(config_map(guard.namespace, "conf", labels=GUARDED), deployment)
    assert result.report["counts"]["created"] == 2
    assert guard.new.served
