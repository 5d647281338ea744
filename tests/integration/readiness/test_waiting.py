"""What a handoff waits for, how it tells that, and how waiting ends."""

from __future__ import annotations

import time

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import config_map, deployment, job, service
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def ready_conditions(component: Component, generation_of: str) -> list[Object]:
    """The Ready condition of each set that lists the object of that name."""
    sets = [one for one in component.sets if generation_of in str(one["spec"]["resources"])]
    return [c for one in sets for c in one["status"]["conditions"] if c["type"] == "Ready"]


def failing_job(namespace: str, name: str) -> Object:
    manifest = job(namespace, name)
    manifest["spec"]["backoffLimit"] = 0
    manifest["spec"]["template"]["metadata"] = {"annotations": {"pods.test/outcome": "fail"}}
    return manifest


def annotated(manifest: Object, **annotations: str) -> Object:
    metadata = {**manifest["metadata"], "annotations": {f"installersets.io/{k}": v for k, v in annotations.items()}}
    return {**manifest, "metadata": metadata}


def test_what_is_waited_for_is_told_while_it_is_waited_for_and_at_the_end(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    """Object, reason, since when and the first thing that is wrong with its pods: in the log, the sets, the error."""
    old = config_map(namespace, "old")
    shop.run(old, deployment(namespace, "web"))
    crashing = deployment(namespace, "web", "v2", pods={"pods.test/outcome": "crash"})
    with shop.running(crashing, options=("--timeout=16s",)) as process:
        process.until(lambda: process.logged("crash loop"), "the log tells the cause")

        def told() -> bool:
            return any("crash loop" in c["message"] for c in ready_conditions(shop, "'web'"))

        process.until(told, "the sets tell the cause")
        waiting = [c for c in ready_conditions(shop, "'web'") if c["status"] == "False"]
        result = process.wait()
    assert {c["reason"] for c in waiting} == {"Waiting"}
    assert f"Deployment.apps {namespace}/web: " in waiting[0]["message"]
    assert "(since 20" in waiting[0]["message"]
    assert result.exit_code == 124
    assert "container main: crash loop, 1 restarts" in result.report["message"]
    assert "the old generation was not retired" in result.report["message"]
    (entry,) = result.report["waitingFor"]
    assert (entry["object"], entry["state"]) == (f"Deployment.apps {namespace}/web", "InProgress")
    assert entry["cause"].startswith("pod web-")
    assert present(shared_cluster, old)


def test_each_kind_of_cause_is_found_on_the_pods(shop: Component, namespace: str) -> None:
    no_node = deployment(namespace, "lonely")
    no_node["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "golden"}
    manifests = [
        deployment(namespace, "unpulled", pods={"pods.test/outcome": "no-image"}),
        deployment(namespace, "unready", pods={"pods.test/ready-after": "never"}),
        no_node,
    ]
    message = shop.run(*manifests, options=("--timeout=8s",), code=124).report["message"]
    causes = {
        "unpulled": "image example.test/unpulled:v1 cannot be pulled (ImagePullBackOff)",
        "unready": "container main: its startup probe has not succeeded",
        "lonely": "unschedulable (0/1 nodes are available",
    }
    lines = {line.strip().partition(": ")[0]: line for line in message.splitlines()[1:]}
    assert len(lines) == 3
    for name, cause in causes.items():
        assert cause in lines[f"Deployment.apps {namespace}/{name}"]


@pytest.mark.parametrize("at_a_gate", [False, True])
def test_a_failure_for_good_ends_the_wait_at_once(
    shop: Component, shared_cluster: Cluster, namespace: str, at_a_gate: bool
) -> None:
    """Also while a webhook's endpoints are waited for, which will never come."""
    old = config_map(namespace, "old")
    shop.run(old)
    manifests = [failing_job(namespace, "migrate"), deployment(namespace, "web", pods={"pods.test/ready-after": "5s"})]
    if at_a_gate:
        manifests += [service(namespace, "web"), webhook_without_rules(namespace, "web")]
        manifests[1]["spec"]["template"]["metadata"]["annotations"]["pods.test/ready-after"] = "never"
    result = shop.run(*manifests, options=("--timeout=90s",), code=4)
    assert sum(result.report["seconds"].values()) < 45
    assert f"Job.batch {namespace}/migrate: Failed: it has failed" in result.report["message"]
    assert "the old generation was not retired" in result.report["message"]
    assert present(shared_cluster, old)
    (condition, *_) = ready_conditions(shop, "'migrate'")
    assert (condition["status"], condition["reason"]) == ("False", "WorkloadFailed")
    assert "migrate: Failed" in condition["message"]
    if at_a_gate:
        assert live(shared_cluster, manifests[-1]) is None


def webhook_without_rules(namespace: str, name: str) -> Object:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"idle-{namespace}"},
        "webhooks": [
            {
                "name": "idle.example.org",
                "clientConfig": {"service": {"namespace": namespace, "name": name}},
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
            }
        ],
    }


def test_a_paused_deployment_ends_the_wait_at_once_and_says_what_to_do(shop: Component, namespace: str) -> None:
    result = shop.run(deployment(namespace, "web", paused=True), options=("--timeout=90s",), code=4)
    assert f"Deployment.apps {namespace}/web: Blocked: it is paused" in result.report["message"]
    assert "take spec.paused out of the manifest (or `kubectl rollout resume`)" in result.report["message"]


def test_an_object_may_have_a_time_limit_of_its_own(shop: Component, namespace: str) -> None:
    never = {"pods.test/ready-after": "never"}
    slow = annotated(deployment(namespace, "slow", pods=never), timeout="3s")
    result = shop.run(deployment(namespace, "web", pods=never), slow, options=("--timeout=90s",), code=124)
    assert f"waiting for Deployment.apps {namespace}/slow, which has a limit of 3 s of its own" in str(result)
    assert result.report["seconds"]["wait"] < 20


def test_b22_endpoints_are_waited_for_on_request_only(shop: Component, namespace: str) -> None:
    def services() -> list[Object]:
        ports = [{"port": 80}]
        specs: dict[str, Object] = {
            "a": {"ports": ports},
            "b": {"clusterIP": "None", "selector": {"app": "z"}, "ports": ports},
            "c": {"type": "ExternalName", "externalName": "example.org"},
            "d": {"selector": {"app": "w"}, "ports": ports},
        }
        return [
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": n, "namespace": namespace}, "spec": spec}
            for n, spec in specs.items()
        ]

    nobody = deployment(namespace, "w", replicas=0)
    shop.run(*services(), nobody)
    asked = [annotated(one, **{"wait-for": "endpoints"}) for one in services()]
    result = shop.run(*asked, nobody, options=("--timeout=5s",), code=124)
    waiting = {entry["object"]: entry["reason"] for entry in result.report["waitingFor"]}
    assert waiting == dict.fromkeys((f"Service {namespace}/b", f"Service {namespace}/d"), "its selector matches no pod")
    warned = {entry["object"]: entry["why"] for entry in result.report["warnings"]}
    assert "no selector" in warned[f"Service {namespace}/a"]
    assert "ExternalName" in warned[f"Service {namespace}/c"]


def test_what_somebody_deletes_meanwhile_ends_the_run_so_that_the_next_one_makes_it_anew(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    web = deployment(namespace, "web", pods={"pods.test/ready-after": "never"})
    with shop.running(web, options=("--timeout=90s",)) as process:
        process.until(lambda: process.logged('"waiting"'), "it waits")
        shared_cluster.kubectl("delete", "deployment", "web", "-n", namespace)
        began = time.monotonic()
        result = process.wait()
    assert result.exit_code == 1
    assert f"Deployment.apps {namespace}/web was deleted by somebody during the run; run again" in str(result)
    assert time.monotonic() - began < 10


def test_a_job_that_goes_in_the_moment_of_its_completion_is_complete(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    brief = job(namespace, "brief")
    brief["spec"]["ttlSecondsAfterFinished"] = 0
    shop.run(brief)
    wait_until(lambda: live(shared_cluster, brief) is None, "the Job is cleaned up", timeout=20)
    shop.proxy.forget()
    shop.run(brief)
    assert [request.plural for request in shop.proxy.writes] == []
