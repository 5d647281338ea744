"""Cleaning: what belongs to others goes, what server-side apply cannot keep gets the form that it can."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from hook.manifests.clean import clean
from tests.unit.manifests.inputs import config_map, only


def cleaned(obj: dict[str, Any]) -> dict[str, Any]:
    return only(json.dumps(obj))


def test_marks_of_argo_cd_flux_and_helm_go_and_their_keep_marks_stay() -> None:
    obj = config_map(
        annotations={
            "argocd.argoproj.io/tracking-id": "shop:/ConfigMap:shop/front",
            "argocd.argoproj.io/installation-id": "x",
            "argocd.argoproj.io/hook": "Sync",
            "argocd.argoproj.io/hook-delete-policy": "HookSucceeded",
            "argocd.argoproj.io/sync-options": "Prune=false",
            "helm.sh/hook": "pre-install",
            "helm.sh/hook-weight": "-5",
            "helm.sh/resource-policy": "keep",
            "meta.helm.sh/release-name": "shop",
            "kustomize.toolkit.fluxcd.io/prune": "disabled",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "example.org/own": "stays",
        },
        labels={
            "kustomize.toolkit.fluxcd.io/name": "shop",
            "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
            "helm.toolkit.fluxcd.io/name": "shop",
            "app.kubernetes.io/name": "front",
        },
        finalizers=["argocd.argoproj.io/hook-finalizer", "example.org/own"],
    )
    assert cleaned(obj)["metadata"] == {
        "name": "front",
        "annotations": {
            "argocd.argoproj.io/sync-options": "Prune=false",
            "helm.sh/resource-policy": "keep",
            "kustomize.toolkit.fluxcd.io/prune": "disabled",
            "example.org/own": "stays",
        },
        "labels": {"app.kubernetes.io/name": "front"},
        "finalizers": ["example.org/own"],
    }


@pytest.mark.parametrize(
    ("tracking_id", "instance", "stays"),
    [
        ("shop:apps/Deployment:shop/front", "shop", False),
        ("teams_shop:apps/Deployment:shop/front", "shop", False),
        ("teams_shop:apps/Deployment:shop/front", "teams_shop", False),
        ("bank:apps/Deployment:shop/front", "shop", True),
        ("no-tracking-id", "no-tracking-id", True),
        (None, "shop", True),
    ],
)
def test_the_instance_label_goes_only_where_argo_cd_wrote_it(
    tracking_id: str | None, instance: str, stays: bool
) -> None:
    annotations = {"argocd.argoproj.io/tracking-id": tracking_id} if tracking_id else {}
    obj = config_map(labels={"app.kubernetes.io/instance": instance}, annotations=annotations)
    assert ("labels" in cleaned(obj)["metadata"]) is stays


def test_marks_of_our_own_go() -> None:
    obj = config_map(
        labels={"owner.installersets.io/shop": "sets"}, annotations={"applied.installersets.io/shop": "0" * 64}
    )
    assert cleaned(obj)["metadata"] == {"name": "front"}


def test_what_only_a_server_writes_goes() -> None:
    obj = config_map(
        uid="u-1",
        resourceVersion="7",
        generation=3,
        creationTimestamp="2026-01-01T00:00:00Z",
        deletionTimestamp="2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds=0,
        selfLink="/x",
        managedFields=[{"manager": "kubectl"}],
        ownerReferences=[{"uid": "u-2"}],
    )
    assert cleaned(obj | {"status": {"phase": "Up"}}) == config_map()


def test_nulls_in_mappings_go_and_nulls_in_lists_stay() -> None:
    obj = config_map(creationTimestamp=None, namespace=None, labels=None)
    obj |= {"data": {"a": None, "b": "c"}, "extra": {"list": [None, {"x": None}], "empty": {}}, "gone": None}
    assert cleaned(obj) == config_map() | {"data": {"b": "c"}, "extra": {"list": [None, {}], "empty": {}}}


def test_an_empty_namespace_is_none() -> None:
    assert cleaned(config_map(namespace="")) == config_map()


def test_string_data_becomes_data_and_wins() -> None:
    """B33: a key of stringData that is dropped later has to go; as `data` it has an owner."""
    obj = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "stringData": {"a": "ü", "b": ""}}
    obj["data"] = {"a": "b2xk", "c": "Yw=="}
    assert cleaned(obj)["data"] == {"a": base64.b64encode("ü".encode()).decode(), "b": "", "c": "Yw=="}
    assert "stringData" not in cleaned(obj)


@pytest.mark.parametrize("string_data", [{}, None, {"a": None}])
def test_string_data_without_keys_makes_no_data(string_data: Any) -> None:
    obj = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "stringData": string_data}
    assert cleaned(obj) == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}


def test_string_data_of_other_kinds_stays() -> None:
    obj = {"apiVersion": "example.org/v1", "kind": "Secret", "metadata": {"name": "x"}, "stringData": {"a": "b"}}
    assert cleaned(obj) == obj


@pytest.mark.parametrize(("aggregation", "keeps"), [({"clusterRoleSelectors": [{}]}, False), ({}, False), (None, True)])
def test_rules_of_an_aggregated_cluster_role_go(aggregation: Any, keeps: bool) -> None:
    obj: dict[str, Any] = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}
    obj |= {"metadata": {"name": "x"}, "rules": [{"verbs": ["get"]}], "aggregationRule": aggregation}
    assert ("rules" in cleaned(obj)) is keeps


def test_ports_of_a_service_get_their_default_protocol() -> None:
    """B34: `{port: 53}` is TCP, and another port than 53/UDP."""
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "dns"}}
    obj["spec"] = {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53}]}
    assert cleaned(obj)["spec"]["ports"] == [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("api_version", "kind", "path"),
    [
        ("v1", "Pod", []),
        ("apps/v1", "Deployment", ["template", "spec"]),
        ("apps/v1", "StatefulSet", ["template", "spec"]),
        ("apps/v1", "DaemonSet", ["template", "spec"]),
        ("batch/v1", "Job", ["template", "spec"]),
        ("batch/v1", "CronJob", ["jobTemplate", "spec", "template", "spec"]),
    ],
)
@pytest.mark.parametrize("containers", ["containers", "initContainers"])
def test_ports_of_containers_get_their_default_protocol(
    api_version: str, kind: str, path: list[str], containers: str
) -> None:
    spec: dict[str, Any] = {containers: [{"name": "a", "ports": [{"containerPort": 80}]}]}
    for step in reversed(path):
        spec = {step: spec}
    found: Any = cleaned({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec})["spec"]
    for step in path:
        found = found[step]
    assert found[containers][0]["ports"] == [{"containerPort": 80, "protocol": "TCP"}]


def test_the_object_given_is_not_changed() -> None:
    obj = config_map(labels={"owner.installersets.io/a": "b"}, uid="u") | {"data": {"a": None}, "status": {}}
    before = json.dumps(obj)
    clean(obj)
    assert json.dumps(obj) == before
