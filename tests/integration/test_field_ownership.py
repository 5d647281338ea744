"""What managedFields tell, and how ownership moves, on a real API server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hook.generations.body import body_of
from hook.generations.managed_fields import applied_fields, in_version, take_over, uncovered, without
from hook.generations.ownership import is_kubectl
from hook.manifests.load import load
from hook.manifests.reader import read_documents
from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.corpus import corpus
from tests.integration.server_side_apply import OURS, Object, applied, apply, json_patch, path_of, with_entries

pytestmark = pytest.mark.cluster

NOW = "2030-01-01T00:00:00Z"
RELEASES = (
    ("argo-cd", "v3.4.0"),
    ("tekton-pipeline", "v1.2.0"),
    ("ingress-nginx", "v1.12.1"),
    ("tekton-results", "v0.15.2"),
)


def objects(path: Path) -> list[Object]:
    first = ("Namespace", "CustomResourceDefinition")
    loaded = load(read_documents(path.read_bytes(), path.name))
    return sorted((manifest.obj for manifest in loaded.items), key=lambda obj: obj["kind"] not in first)


def drift(obj: Object, live: Object) -> list[str]:
    metadata = live["metadata"]
    return uncovered(applied_fields(metadata, OURS) or {}, obj, metadata.get("managedFields") or [])


def test_whatever_was_just_applied_is_covered(fresh_cluster: Cluster) -> None:
    api = fresh_cluster.api
    for name, version in RELEASES:
        release = objects(corpus(name, version))
        assert len(release) > 15
        for namespace in {obj["metadata"].get("namespace") for obj in release} - {None}:
            api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        for obj in release:
            body = body_of(obj, "web", "ops", obj)
            assert drift(body, applied(api, body)) == [], (name, obj["kind"], obj["metadata"]["name"])


def workload(kind: str, api_version: str, namespace: str) -> Object:
    container = {
        "name": "c",
        "image": "shop:1",
        "args": ["a", "b"],
        "env": [{"name": "LEVEL", "value": "info"}],
        "ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}],
        "resources": {"limits": {"cpu": "1000m", "memory": "1Gi"}},
        "securityContext": {"capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "drifting", "namespace": namespace, "labels": {"a": "b"}, "annotations": {"x.y/z": "1"}},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [container], "volumes": [{"name": "tmp", "emptyDir": {}}]},
            },
        },
    }


def examples(namespace: str) -> Iterator[Object]:
    def obj(api_version: str, kind: str, **more: Any) -> Object:
        metadata = {"name": "drifting", "namespace": namespace}
        return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}

    yield workload("Deployment", "apps/v1", namespace)
    yield workload("DaemonSet", "apps/v1", namespace)
    yield obj("v1", "ConfigMap", data={"a": "1", "b": "2"}, binaryData={"c": "MQ=="})
    yield obj("v1", "Service", spec={"selector": {"a": "b"}, "ports": [{"name": "x", "port": 1, "protocol": "TCP"}]})
    yield obj(
        "rbac.authorization.k8s.io/v1",
        "Role",
        rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
    )
    yield obj(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        spec={"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"ports": [{"port": 80, "protocol": "TCP"}]}]},
    )
    yield obj("policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}})


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    for step, child in steps:
        yield from leaves(child, (*path, step))
    if not steps:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return None
    return value


def pointer(path: tuple[Any, ...]) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value + "x"


def test_every_leaf_that_somebody_changes_or_removes_is_noticed(shared_cluster: Cluster, namespace: str) -> None:
    api = shared_cluster.api
    noticed = 0
    for obj in examples(namespace):
        for path in leaves(obj):
            if path[0] in ("apiVersion", "kind") or path[1:2] in (("name",), ("namespace",)):
                continue
            for operation in ("replace", "remove"):
                live = applied(api, obj)
                wanted = at(live, path)
                change: Object = {"op": operation, "path": pointer(path)}
                if operation == "replace":
                    if not isinstance(wanted, str | int):
                        continue
                    change["value"] = other(wanted)
                answer = json_patch(api, obj, [change], "intruder")
                if answer.status != 200 or at(answer.body, path) == wanted:
                    continue  # refused, or filled in again as a default
                assert drift(obj, answer.body), (obj["kind"], operation, path)
                noticed += 1
                api.request("DELETE", path_of(api, obj))
    assert noticed > 50


def test_a_rule_added_to_a_list_that_we_want_empty_is_noticed(shared_cluster: Cluster, namespace: str) -> None:
    spec = {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": []}
    metadata = {"name": "closed", "namespace": namespace}
    obj = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}
    assert drift(obj, applied(shared_cluster.api, obj)) == []
    answer = json_patch(shared_cluster.api, obj, [{"op": "add", "path": "/spec/ingress", "value": [{}]}], "intruder")
    assert drift(obj, answer.body) == ["spec.ingress"]


def test_what_is_taken_over_goes_when_the_manifest_drops_it(shared_cluster: Cluster, namespace: str) -> None:
    api = shared_cluster.api
    before = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old", "namespace": namespace}}
    shared_cluster.kubectl("create", "configmap", "old", f"-n={namespace}", "--from-literal=a=1", "--from-literal=b=2")
    shared_cluster.kubectl("label", "configmap/old", f"-n={namespace}", "by=hand")
    live = api.request("GET", path_of(api, before)).body
    entries = take_over(live["metadata"]["managedFields"], OURS, is_kubectl, NOW)
    assert json_patch(api, before, with_entries(live, entries), OURS).status == 200
    after = applied(api, {**before, "data": {"a": "1"}})
    assert after["data"] == {"a": "1"}
    assert not after["metadata"].get("labels")


def test_an_environment_variable_edited_by_hand_goes_with_the_manifests(
    shared_cluster: Cluster, namespace: str
) -> None:
    """Without the take-over its name would stay behind, without a value."""
    api = shared_cluster.api
    obj = workload("Deployment", "apps/v1", namespace)
    applied(api, obj)
    env = [{"name": "LEVEL", "value": "info"}, {"name": "X", "value": "by hand"}]
    path = "/spec/template/spec/containers/0/env"
    assert json_patch(api, obj, [{"op": "replace", "path": path, "value": env}], "kubectl-edit").status == 200

    def taken_over() -> bool:
        """Not where its controller has written the status since the read."""
        live = api.request("GET", path_of(api, obj)).body
        entries = take_over(live["metadata"]["managedFields"], OURS, is_kubectl, NOW)
        answer = json_patch(api, obj, with_entries(live, entries), OURS)
        assert answer.status in (200, 409), answer.body
        return answer.status == 200

    wait_until(taken_over, "its fields are taken over")
    container = applied(api, obj)["spec"]["template"]["spec"]["containers"][0]
    assert [one["name"] for one in container["env"]] == ["LEVEL"]


def test_giving_up_leaves_the_values_and_no_trace_of_us(shared_cluster: Cluster, namespace: str) -> None:
    api = shared_cluster.api
    metadata = {"name": "kept", "namespace": namespace}
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}
    live = applied(api, obj)
    patch = with_entries(live, without(live["metadata"]["managedFields"], OURS))
    given_up = json_patch(api, obj, patch, OURS).body
    assert given_up["data"] == {"a": "1"}
    assert applied_fields(given_up["metadata"], OURS) is None


def definition(*versions: str) -> Object:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    made = [{"name": v, "served": True, "storage": v == versions[-1], "schema": schema} for v in versions]
    names = {"kind": "Gear", "plural": "gears"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.fields.example.org"},
        "spec": {"group": "fields.example.org", "names": names, "scope": "Namespaced", "versions": made},
    }


def test_entries_of_a_version_served_no_more_are_moved_and_the_apply_gets_through(
    fresh_cluster: Cluster,
) -> None:
    """Everybody's entries: those of another manager make the apply fail as well."""
    api = fresh_cluster.api
    fresh_cluster.load([definition("v1alpha1", "v1")])
    metadata = {"name": "one", "namespace": "default"}
    old = {"apiVersion": "fields.example.org/v1alpha1", "kind": "Gear", "metadata": metadata, "spec": {"a": 1, "b": 2}}
    new = {**old, "apiVersion": "fields.example.org/v1", "spec": {"a": 1}}
    applied(api, old)
    json_patch(api, old, [{"op": "add", "path": "/spec/c", "value": 3}], "somebody")
    path = path_of(api, new)
    fresh_cluster.load([definition("v1")])
    wait_until(lambda: apply(api, new).status == 500, "the old version to be gone")
    live = api.request("GET", path).body
    entries = in_version(live["metadata"]["managedFields"], None, "fields.example.org/v1", ["fields.example.org/v1"])
    assert json_patch(api, new, with_entries(live, entries), OURS).status == 200
    assert applied(api, new)["spec"] == {"a": 1, "c": 3}
