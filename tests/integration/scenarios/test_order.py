"""What goes before what, and what holds a deletion up (B13, B14, B24, B25, B27, B28)."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
import trustme

from tests.cluster.cluster import Cluster
from tests.cluster.history import History
from tests.cluster.probe import targets_of
from tests.cluster.proxy import Request, faults
from tests.integration.scenarios.components import Component, applies, deletes, live, present
from tests.integration.scenarios.objects import (
    config_map,
    custom,
    definition,
    deployment,
    service,
    stateful_set,
)
from tests.live_objects import Object

pytestmark = pytest.mark.cluster

FINALIZER = "gears.example.org/cleanup"


def release(cluster: Cluster, plural: str, namespace: str, name: str) -> None:
    """As the controller of a finalizer does it."""
    patch = '{"metadata": {"finalizers": null}}'
    cluster.kubectl("patch", plural, name, "-n", namespace, "--type=merge", "-p", patch)


def test_b13_what_was_applied_before_a_generation_failed_is_recorded_and_goes(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    a, b = config_map(namespace, "a"), deployment(namespace, "b")
    denied = faults.status(403, "Forbidden", 'admission webhook "deny.example.org" denied the request: no')
    shop.proxy.on(applies("deployments", "b"), denied)
    shop.run(a, b, code=3)
    assert shop.listed == {"ConfigMap a", "Deployment b"}
    assert live(shared_cluster, a) is not None
    shop.run()
    assert live(shared_cluster, a) is None
    assert shop.listed == set()


def test_b14_a_lease_that_nobody_renews_is_taken_over_and_the_work_goes_on(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(config_map(namespace, "one"))
    path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/handoff-{shop.name}"
    patch = {"spec": {"holderIdentity": "pod-1", "leaseDurationSeconds": 3, "renewTime": "2020-01-01T00:00:00.000000Z"}}
    answer = shared_cluster.api.request("PATCH", path, patch, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body
    shop.run(config_map(namespace, "two"))
    assert shop.listed == {"ConfigMap two"}
    assert live(shared_cluster, config_map(namespace, "one")) is None


def test_b24_a_definition_counts_when_this_versions_apply_is_served(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    in_cluster(definition(group, "Gear"))
    shop.run(definition(group, "Gear"))
    conflict = faults.status(409, "Conflict", "the object has been modified")
    shop.proxy.on(applies("customresourcedefinitions"), conflict)
    shop.proxy.forget()
    two = definition(group, "Gear", "v1", "v2")
    shop.run(two, custom(group, "Gear", namespace, "one", "v2"))
    sent = [r.status for r in shop.proxy.requests if applies("customresourcedefinitions")(r.request)]
    assert sent[:2] == [409, 200]
    gear = next(i for i, r in enumerate(shop.proxy.requests) if applies("gears")(r.request))
    written = [i for i, r in enumerate(shop.proxy.requests) if applies("customresourcedefinitions")(r.request)]
    assert written[1] < gear


def webhook(namespace: str, name: str, certificate: str) -> Object:
    """Refuses to let anybody touch a ConfigMap of the namespace: no server stands behind its Service's endpoint."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [
            {
                "name": "hook.example.org",
                "clientConfig": {"service": {"namespace": namespace, "name": "hook"}, "caBundle": certificate},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "failurePolicy": "Fail",
                "sideEffects": "None",
                "timeoutSeconds": 1,
                "admissionReviewVersions": ["v1"],
            }
        ],
    }


@pytest.fixture(scope="module")
def certificate() -> str:
    """A CA bundle that says nothing."""
    return base64.b64encode(trustme.CA().cert_pem.bytes()).decode()


def test_b27_a_webhook_comes_after_its_server_and_goes_before_it_and_what_it_guards(
    shop: Component, shared_cluster: Cluster, namespace: str, certificate: str
) -> None:
    guard = webhook(namespace, f"{namespace}-guard", certificate)
    objects = [config_map(namespace, "conf"), service(namespace, "hook"), deployment(namespace, "hook"), guard]
    targets = targets_of(shared_cluster.api, objects)
    history = History(shared_cluster.api, targets)
    shop.run(*objects)
    first = [e for e in history.events() if e.target in targets]
    created = [e.target.kind for e in first if e.type == "ADDED"]
    assert created[-1] == "ValidatingWebhookConfiguration"
    ready = next(
        e.revision for e in first if e.target.kind == "Deployment" and e.object["status"].get("availableReplicas")
    )
    assert ready < next(e.revision for e in first if e.target.kind == "ValidatingWebhookConfiguration")
    shop.run()
    deleted = [e.target.kind for e in history.deletions() if e.target in targets]
    assert deleted[:2] == ["ValidatingWebhookConfiguration", "Deployment"]
    assert set(deleted[2:]) == {"ConfigMap", "Service"}


def test_b27_a_write_that_a_rolling_webhook_cannot_answer_is_tried_again(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    text = (
        'Internal error occurred: failed calling webhook "hook.example.org": no endpoints available for service "hook"'
    )
    shop.proxy.on(lambda r: r.is_apply and r.plural == "configmaps", faults.status(500, "InternalError", text), times=3)
    shop.run(config_map(namespace, "conf"))
    assert live(shared_cluster, config_map(namespace, "conf")) is not None


def test_b28_custom_resources_go_while_their_controller_lives_and_hold_it_as_long_as_they_stay(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    in_cluster(definition(group, "Gear"))
    gear = custom(group, "Gear", namespace, "one", finalizers=[FINALIZER])
    controller, rules = deployment(namespace, "controller"), config_map(namespace, "conf")
    shop.run(gear, controller, rules)
    result = shop.run(options=("--timeout=9s",), code=6)
    told = {entry["object"]: entry["why"] for entry in result.report["incomplete"]}
    held = told[f"Gear.{group} {namespace}/one"]
    assert f"held by the finalizer {FINALIZER}" in held
    assert "must run to remove it" in held
    assert "custom resources that are held up" in told[f"Deployment.apps {namespace}/controller"]
    assert present(shared_cluster, gear)["metadata"]["finalizers"] == [FINALIZER]
    assert live(shared_cluster, controller) is not None
    assert live(shared_cluster, rules) is not None
    assert shop.listed == {"Gear one", "Deployment controller", "ConfigMap conf"}
    release(shared_cluster, f"gears.{group}", namespace, "one")
    shop.run()
    assert shop.listed == set()
    assert live(shared_cluster, controller) is None


def test_b28_a_definition_that_is_going_is_waited_for_and_who_holds_it_is_named(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    gears, gear = definition(group, "Gear"), custom(group, "Gear", namespace, "one", finalizers=[FINALIZER])
    in_cluster(gears)
    shared_cluster.load([gear])
    uid = present(shared_cluster, gears)["metadata"]["uid"]
    shared_cluster.kubectl("delete", "crd", f"gears.{group}", "--wait=false")
    result = shop.run(gears, options=("--timeout=5s",), code=124)
    assert f"Gear.{group} {namespace}/one, held by the finalizer {FINALIZER}" in result.report["message"]
    assert present(shared_cluster, gear)["metadata"]["finalizers"] == [FINALIZER]
    with shop.running(gears) as process:
        process.until(lambda: process.logged("being deleted"), "it waits for the definition")
        release(shared_cluster, f"gears.{group}", namespace, "one")
        result = process.wait()
    assert result.exit_code == 0, result
    assert present(shared_cluster, gears)["metadata"]["uid"] != uid


def test_one_deletion_that_is_held_up_does_not_hold_up_the_others(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    held, free = config_map(namespace, "held", finalizers=[FINALIZER]), config_map(namespace, "free")
    shop.run(held, free)
    shop.proxy.forget()
    result = shop.run(options=("--timeout=9s",), code=6)
    assert result.objects("incomplete") == [f"ConfigMap {namespace}/held"]
    assert FINALIZER in result.report["message"]
    assert live(shared_cluster, free) is None
    assert shop.listed == {"ConfigMap held"}
    again = shop.run(options=("--timeout=6s",), code=6)
    assert again.objects("incomplete") == [f"ConfigMap {namespace}/held"]
    assert shop.deletions.count("configmaps held") == 1
    release(shared_cluster, "configmap", namespace, "held")
    shop.run()
    assert shop.sets[0]["spec"]["resources"] == []


def test_a_workload_whose_pod_is_held_up_keeps_what_that_pod_may_need(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    web, conf = deployment(namespace, "web"), config_map(namespace, "conf")
    web["spec"]["template"]["metadata"]["finalizers"] = [FINALIZER]
    shop.run(web, conf)
    result = shop.run(options=("--timeout=12s",), code=6)
    told = {entry["object"]: entry["why"] for entry in result.report["incomplete"]}
    assert FINALIZER in told[f"Deployment.apps {namespace}/web"]
    assert "their pods may need it" in told[f"ConfigMap {namespace}/conf"]
    assert live(shared_cluster, conf) is not None
    pods = shared_cluster.api.request("GET", f"/api/v1/namespaces/{namespace}/pods").body["items"]
    for pod in pods:
        release(shared_cluster, "pod", namespace, pod["metadata"]["name"])
    shop.run()
    assert live(shared_cluster, web) is None
    assert live(shared_cluster, conf) is None


def test_claims_of_a_stateful_sets_templates_stay_and_are_told(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    template = {
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "storageClassName": "",
        },
    }
    store = stateful_set(namespace, "store", replicas=0, volumeClaimTemplates=[template])
    claim: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-store-0", "namespace": namespace},
        "spec": template["spec"],
    }
    shop.run(store)
    shared_cluster.load([claim])  # as the StatefulSet had made it when it ran a pod
    result = shop.run()
    assert f"PersistentVolumeClaim {namespace}/data-store-0" in result.objects("kept")
    assert "made for StatefulSet" in str(result.report["kept"])
    assert live(shared_cluster, claim) is not None


def test_what_somebody_creates_again_after_it_was_deleted_is_no_fight(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    """With our mark on it, as a restore or a stubborn operator brings it: named, recorded, left to the next run."""
    mine = config_map(namespace, "mine", labels={shop.mark: namespace})
    other = config_map(namespace, "other", finalizers=[FINALIZER])
    shop.run(config_map(namespace, "mine"), other)

    def is_read_after_the_deletion(request: Request) -> bool:
        return request.method == "GET" and request.name == "mine" and bool(shop.deletions)

    shop.proxy.forget()
    hold = shop.proxy.hold(is_read_after_the_deletion)
    with shop.running(options=("--timeout=9s",)) as process:
        process.until(lambda: hold.reached, "the read that is to find it gone")
        shared_cluster.load([mine])
        hold.release()
        result = process.wait()
    assert result.exit_code == 6, result
    assert "created it again" in str(result.report["incomplete"])
    assert live(shared_cluster, mine) is not None
    assert "ConfigMap mine" in shop.listed
    assert len([r for r in shop.proxy.writes if deletes("configmaps", "mine")(r)]) == 1
    release(shared_cluster, "configmap", namespace, "other")
