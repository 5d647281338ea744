"""Fields of others: autoscalers, people with kubectl, other tools (B31, B36, B37, B39, and the owners at apply)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.components import Component, live, patches, present
from tests.integration.scenarios.objects import config_map, custom, definition, deployment, job, namespace_of, service
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def autoscaler(namespace: str, name: str) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 9},
    }


def scale(cluster: Cluster, namespace: str, name: str, replicas: int) -> None:
    """As the autoscaler does it."""
    answer = cluster.api.request(
        "PATCH",
        f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
        {"spec": {"replicas": replicas}},
        query={"fieldManager": "kube-controller-manager"},
        content_type="application/merge-patch+json",
    )
    assert answer.status == 200, answer.body


def replicas(cluster: Cluster, obj: Object) -> int:
    return int(present(cluster, obj)["spec"]["replicas"])


def test_b31_the_number_of_an_autoscaler_stays_when_the_manifest_lets_go_of_it(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    three, none = deployment(namespace, "web", replicas=3), deployment(namespace, "web", "v2")
    shop.run(three)
    shared_cluster.load([autoscaler(namespace, "web")])
    scale(shared_cluster, namespace, "web", 7)
    shop.run(none)
    assert replicas(shared_cluster, none) == 7


def test_b31_a_number_that_nobody_else_holds_is_handed_to_the_autoscaler(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    """The autoscaler comes with the version that leaves the number out, and has not written it yet."""
    three, none = deployment(namespace, "web", replicas=3), deployment(namespace, "web", "v2")
    shop.run(three)
    shop.run(none, autoscaler(namespace, "web"))
    assert replicas(shared_cluster, none) == 3


def test_b31_a_number_in_the_manifest_is_left_out_and_warned_about_where_an_autoscaler_sets_it(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    one, two = deployment(namespace, "web", replicas=3), deployment(namespace, "web", "v2", replicas=3)
    shop.run(one)
    shared_cluster.load([autoscaler(namespace, "web")])
    scale(shared_cluster, namespace, "web", 7)
    result = shop.run(two)
    assert replicas(shared_cluster, two) == 7
    assert "left to HorizontalPodAutoscaler" in str(result.report["warnings"])
    shop.proxy.forget()
    again = shop.run(two)
    assert shop.proxy.writes == []
    assert again.report["counts"]["changed"] == 0
    shared_cluster.kubectl("delete", "hpa", "web", "-n", namespace)


def test_b39_what_was_edited_by_hand_is_named_taken_and_really_goes_later(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    def web(**env: str) -> Object:
        manifest = deployment(namespace, "web")
        container = manifest["spec"]["template"]["spec"]["containers"][0]
        container["env"] = [{"name": name, "value": value} for name, value in env.items()]
        return manifest

    shop.run(web(X="one", Y="two"))
    shared_cluster.kubectl("set", "env", "deployment/web", "X=by-hand", "-n", namespace, "--field-manager=kubectl-edit")
    named = shop.run(web(X="three", Y="two"), options=("--conflicts=fail",), code=3)
    assert "kubectl-edit" in named.report["message"]
    assert "env" in named.report["message"]
    result = shop.run(web(X="three", Y="two"))
    assert "kubectl-edit" in str(result.report["conflicts"])
    env = present(shared_cluster, web())["spec"]["template"]["spec"]["containers"][0]["env"]
    assert env == [{"name": "X", "value": "three"}, {"name": "Y", "value": "two"}]
    shop.run(web(Y="two"))
    env = present(shared_cluster, web())["spec"]["template"]["spec"]["containers"][0]["env"]
    assert env == [{"name": "Y", "value": "two"}]


def test_b39_an_edit_that_the_next_version_agrees_with_does_not_outlive_it(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(config_map(namespace, "conf", {"a": "1", "b": "1"}))
    patch = '{"data": {"b": "2"}}'
    shared_cluster.kubectl(
        "patch", "configmap", "conf", "-n", namespace, "--type=merge", "-p", patch, "--field-manager=kubectl-edit"
    )
    shop.run(config_map(namespace, "conf", {"a": "1", "b": "2"}))
    shop.run(config_map(namespace, "conf", {"a": "1"}))
    assert present(shared_cluster, config_map(namespace, "conf"))["data"] == {"a": "1"}


def test_b36_only_known_immutable_fields_are_a_reason_to_recreate(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    """A port out of range, and a rule whose text says immutable: refused, permission or not.

    Ports are allocated by the write itself, so that a dry run need not tell.
    """
    gears = definition(group, "Gear")
    schema = gears["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    rule = {"rule": "self.size <= 1", "message": "size is immutable: field is immutable once set"}
    schema["properties"] = {
        "spec": {"type": "object", "properties": {"size": {"type": "integer"}}, "x-kubernetes-validations": [rule]}
    }
    in_cluster(gears)
    front, gear = service(namespace, "front"), custom(group, "Gear", namespace, "one")
    shop.run(front, gear)
    wrong = service(namespace, "front")
    wrong["spec"].update(type="NodePort", ports=[{"name": "http", "port": 80, "nodePort": 80}])
    shop.proxy.forget()
    result = shop.run(wrong, gear, options=("--recreate=Service/front",), code=3)
    assert "nodePort" in result.report["message"]
    assert shop.deletions == []
    shop.proxy.forget()
    bigger = {**gear, "spec": {"size": 2}}
    result = shop.run(front, bigger, options=("--recreate=Gear/one",), code=3)
    assert "field is immutable once set" in result.report["message"]
    assert shop.proxy.writes == []


def test_b36_b37_a_recreated_object_is_gone_before_the_new_one_comes(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    old = deployment(namespace, "web")
    new = deployment(namespace, "web")
    for place in (new["spec"]["selector"]["matchLabels"], new["spec"]["template"]["metadata"]["labels"]):
        place["tier"] = "front"
    shop.run(old, job(namespace, "setup"))
    uid = present(shared_cluster, old)["metadata"]["uid"]
    before = present(shared_cluster, job(namespace, "setup"))["metadata"]["uid"]
    shop.proxy.forget()
    refused = shop.run(new, job(namespace, "setup", "v2"), code=3)
    assert "spec.selector" in refused.report["message"]
    assert "--recreate Deployment/web" in refused.report["message"]
    assert shop.proxy.writes == []
    result = shop.run(new, job(namespace, "setup", "v2"), options=("--recreate=Deployment/web",))
    assert set(result.objects("recreated")) == {f"Deployment.apps {namespace}/web", f"Job.batch {namespace}/setup"}
    after = present(shared_cluster, new)
    assert after["metadata"]["uid"] != uid
    assert present(shared_cluster, job(namespace, "setup"))["metadata"]["uid"] != before
    for plural, name in (("deployments", "web"), ("jobs", "setup")):
        sent = [r.request for r in shop.proxy.requests if r.request.is_write and r.request.plural == plural]
        (delete,) = [i for i, request in enumerate(sent) if request.method == "DELETE"]
        assert sent[delete].json["preconditions"].keys() == {"uid", "resourceVersion"}
        assert sent[delete].json["propagationPolicy"] == "Foreground"
        assert [request.name for request in sent[delete + 1 :] if request.is_apply] == [name]


SIGNS = [
    pytest.param(
        {
            "annotations": {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "x"},
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
        },
        "Helm release",
        "helm",
        id="helm",
    ),
    pytest.param(
        {
            "labels": {
                "kustomize.toolkit.fluxcd.io/name": "apps",
                "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            }
        },
        "Flux Kustomization",
        "kustomize-controller",
        id="flux",
    ),
    pytest.param(
        {"annotations": {"argocd.argoproj.io/tracking-id": "guestbook:/ConfigMap:NAMESPACE/theirs"}},
        "Argo CD application",
        "argocd-controller",
        id="argocd",
    ),
]


@pytest.mark.parametrize(("metadata", "kind", "manager"), SIGNS)
def test_what_another_tool_owns_is_refused_and_adopted_only_when_told(
    shop: Component, shared_cluster: Cluster, namespace: str, metadata: dict[str, Any], kind: str, manager: str
) -> None:
    placed = {
        place: {key: value.replace("NAMESPACE", namespace) for key, value in marks.items()}
        for place, marks in metadata.items()
    }
    theirs = config_map(namespace, "theirs", {"mine": "no", "old": "yes"}, **placed)
    shared_cluster.load([theirs], field_manager=manager)
    mine = config_map(namespace, "theirs", {"mine": "yes"})
    result = shop.run(mine, code=3)
    assert kind in result.report["message"]
    assert "--adopt" in result.report["message"]
    assert shop.proxy.writes == []
    result = shop.run(mine, options=("--adopt",))
    assert result.objects("adopted") == [f"ConfigMap {namespace}/theirs"]
    assert present(shared_cluster, mine)["data"] == {"mine": "yes"}


def test_what_a_controller_owns_is_refused(shop: Component, shared_cluster: Cluster, namespace: str) -> None:
    owner = config_map(namespace, "owner")
    shared_cluster.load([owner])
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": present(shared_cluster, owner)["metadata"]["uid"],
        "controller": True,
    }
    shared_cluster.load([config_map(namespace, "theirs", ownerReferences=[reference])])
    assert "controller ConfigMap/owner" in shop.run(config_map(namespace, "theirs"), code=3).report["message"]
    assert shop.proxy.writes == []


def test_an_object_that_changes_while_it_is_adopted_is_looked_at_again(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    theirs = config_map(namespace, "theirs", {"old": "1"})
    shared_cluster.kubectl("apply", "-f", "-", stdin=str(theirs).replace("'", '"'))
    hold = shop.proxy.hold(patches("configmaps", "theirs"))
    with shop.running(config_map(namespace, "theirs", {"new": "1"})) as process:
        process.until(lambda: hold.reached, "the adoption")
        patch = '{"data": {"meanwhile": "1"}}'
        shared_cluster.kubectl("patch", "configmap", "theirs", "-n", namespace, "--type=merge", "-p", patch)
        hold.release()
        result = process.wait()
    assert result.exit_code == 0, result
    statuses = [r.status for r in shop.proxy.requests if patches("configmaps", "theirs")(r.request)]
    assert statuses[0] == 409
    after = present(shared_cluster, theirs)
    assert after["data"] == {"new": "1"}
    assert "kubectl.kubernetes.io/last-applied-configuration" not in after["metadata"].get("annotations", {})


def test_what_another_component_creates_in_the_same_moment_is_not_taken_from_it(
    make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = make_component("one"), make_component("two")
    hold = one.proxy.hold(lambda r: r.is_apply and r.is_write and r.name == "conf")
    with one.running(config_map(namespace, "conf", {"owner": "one"})) as process:
        process.until(lambda: hold.reached, "the apply")
        two.run(config_map(namespace, "conf", {"owner": "two"}))
        hold.release()
        result = process.wait()
    assert result.exit_code == 3, result
    assert two.name in result.report["message"]
    after = present(shared_cluster, config_map(namespace, "conf"))
    assert after["data"] == {"owner": "two"}
    assert one.mark not in after["metadata"]["labels"]


def test_b29_nothing_that_is_applied_has_an_owner_reference(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    space = namespace_of(f"{namespace}-space")
    cluster_role: Object = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"{namespace}-r"},
        "rules": [],
    }
    objects = [space, cluster_role, service(f"{namespace}-space", "s"), service(namespace, "t")]
    shop.run(*objects)
    for obj in objects:
        assert "ownerReferences" not in present(shared_cluster, obj)["metadata"]
    shop.run(options=("--prune-kind=Namespace",))
    assert [obj for obj in objects if live(shared_cluster, obj)] == []


def test_a_shared_namespace_keeps_what_the_other_component_wants_differently(
    make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = make_component("one"), make_component("two")
    name = f"{namespace}-space"
    one.run(namespace_of(name, labels={"tier": "front", "only": "one"}))
    result = two.run(namespace_of(name, labels={"tier": "back", "more": "two"}))
    assert f"Namespace {name}" in result.objects("shared")
    assert "metadata.labels.tier differs" in str(result.report["kept"])
    labels = present(shared_cluster, namespace_of(name))["metadata"]["labels"]
    assert (labels["tier"], labels["only"], labels["more"]) == ("front", "one", "two")
    two.proxy.forget()
    two.run(namespace_of(name, labels={"tier": "back", "more": "two"}))
    assert two.proxy.writes == []
    one.remove()
    labels = present(shared_cluster, namespace_of(name))["metadata"]["labels"]
    assert one.mark not in labels
    assert two.mark in labels
    two.run(namespace_of(name, labels={"tier": "back", "more": "two"}))
    two.remove("--prune-kind=Namespace")
    assert live(shared_cluster, namespace_of(name)) is None
