"""Which refusals of a real API server mean that a field is immutable."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hook.cluster.status_texts import field_causes
from hook.generations.immutability import immutable_changes
from hook.manifests.identity import identify
from tests.cluster.cluster import Cluster
from tests.integration.server_side_apply import Object, applied, apply, path_of

pytestmark = pytest.mark.cluster

TEMPLATE = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "shop:1"}]},
}
RUNNING = {**TEMPLATE, "spec": {"containers": [{"name": "c", "image": "shop:1"}]}}
SELECTOR = {"matchLabels": {"a": "b"}}
RBAC = "rbac.authorization.k8s.io"
ROLE = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "view"}

Case = tuple[str, str, dict[str, Any], dict[str, Any]]

# (apiVersion, kind, the object, what of it changes: dotted path → value)
IMMUTABLE: list[Case] = [
    ("batch/v1", "Job", {"spec": {"template": TEMPLATE}}, {"spec.template.spec.containers.0.image": "shop:2"}),
    (
        "batch/v1",
        "Job",
        {"spec": {"suspend": True, "template": TEMPLATE}},
        {"spec.template.spec.containers.0.image": "shop:2"},
    ),
    ("batch/v1", "Job", {"spec": {"completions": 1, "template": TEMPLATE}}, {"spec.completions": 2}),
    (
        "apps/v1",
        "Deployment",
        {"spec": {"selector": SELECTOR, "template": RUNNING}},
        {"spec.selector.matchLabels.a": "c", "spec.template.metadata.labels.a": "c"},
    ),
    (
        "apps/v1",
        "StatefulSet",
        {"spec": {"selector": SELECTOR, "template": RUNNING, "serviceName": "x"}},
        {"spec.serviceName": "y"},
    ),
    ("v1", "Service", {"spec": {"ports": [{"port": 80}]}}, {"spec.clusterIP": "None"}),
    ("v1", "ConfigMap", {"immutable": True, "data": {"a": "1"}}, {"data.a": "2"}),
    ("v1", "Secret", {"type": "Opaque", "data": {"a": "MQ=="}}, {"type": "example.org/other"}),
    (
        "v1",
        "PersistentVolumeClaim",
        {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
        {"spec.accessModes": ["ReadWriteMany"]},
    ),
    (
        "v1",
        "PersistentVolume",
        {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/x"}}},
        {"spec.volumeMode": "Block"},
    ),
    ("v1", "Pod", {"spec": {"containers": [{"name": "c", "image": "shop:1"}]}}, {"spec.containers.0.command": ["x"]}),
    (f"{RBAC}/v1", "RoleBinding", {"roleRef": ROLE}, {"roleRef.name": "edit"}),
    (f"{RBAC}/v1", "ClusterRoleBinding", {"roleRef": ROLE}, {"roleRef.name": "edit"}),
    ("storage.k8s.io/v1", "StorageClass", {"provisioner": "a.b/c"}, {"provisioner": "d.e/f"}),
    ("storage.k8s.io/v1", "CSIDriver", {"spec": {"attachRequired": True}}, {"spec.attachRequired": False}),
    (
        "storage.k8s.io/v1",
        "VolumeAttributesClass",
        {"driverName": "a.b", "parameters": {"a": "b"}},
        {"driverName": "c.d"},
    ),
    ("scheduling.k8s.io/v1", "PriorityClass", {"value": 1}, {"value": 2}),
    ("node.k8s.io/v1", "RuntimeClass", {"handler": "a"}, {"handler": "b"}),
    ("networking.k8s.io/v1", "IngressClass", {"spec": {"controller": "a.b/c"}}, {"spec.controller": "d.e/f"}),
]

# Refused for what is wrong with it, not for what it changes.
INVALID: list[Case] = [
    ("v1", "Service", {"spec": {"type": "NodePort", "ports": [{"port": 80}]}}, {"spec.ports.0.nodePort": 9}),
    ("v1", "Service", {"spec": {"ports": [{"port": 80}]}}, {"spec.clusterIP": "1.2.3"}),
    ("batch/v1", "Job", {"spec": {"template": TEMPLATE}}, {"spec.backoffLimit": -1}),
    (
        "batch/v1",
        "Job",
        {"spec": {"template": TEMPLATE}},
        {"spec.backoffLimit": -1, "spec.template.spec.containers.0.image": "shop:2"},
    ),
    (
        "apps/v1",
        "StatefulSet",
        {"spec": {"selector": SELECTOR, "template": RUNNING, "serviceName": "x"}},
        {"spec.replicas": -1},
    ),
]


def refused(cluster: Cluster, namespace: str, case: Case) -> tuple[str, ...] | None:
    """What our table makes of the refusal that the change of the case meets."""
    api_version, kind, fields, changes = case
    before: Object = {"apiVersion": api_version, "kind": kind, "metadata": {"name": namespace}, **fields}
    namespaced = kind not in _CLUSTER_SCOPED
    if namespaced:
        before["metadata"]["namespace"] = namespace
    after = copy.deepcopy(before)
    for path, value in changes.items():
        _set(after, path.split("."), value)
    applied(cluster.api, before)
    answer = apply(cluster.api, after)
    if not namespaced:
        cluster.api.request("DELETE", path_of(cluster.api, before))
    assert answer.status == 422, answer.body
    return immutable_changes(identify(after).of_kind, field_causes(answer.body))


_CLUSTER_SCOPED = frozenset(
    {
        "PersistentVolume",
        "ClusterRoleBinding",
        "StorageClass",
        "CSIDriver",
        "VolumeAttributesClass",
        "PriorityClass",
        "RuntimeClass",
        "IngressClass",
    }
)


def _set(obj: Any, path: list[str], value: Any) -> None:
    for step in path[:-1]:
        obj = obj[int(step)] if isinstance(obj, list) else obj.setdefault(step, {})
    obj[path[-1]] = value


@pytest.mark.parametrize("case", IMMUTABLE, ids=lambda case: f"{case[1]}-{','.join(case[3])}")
def test_an_immutable_field_is_known(shared_cluster: Cluster, namespace: str, case: Case) -> None:
    assert refused(shared_cluster, namespace, case)


@pytest.mark.parametrize("case", INVALID, ids=lambda case: f"{case[1]}-{','.join(case[3])}")
def test_an_invalid_value_is_not_taken_for_one(shared_cluster: Cluster, namespace: str, case: Case) -> None:
    assert refused(shared_cluster, namespace, case) is None
