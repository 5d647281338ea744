"""Scopes of kinds: Kubernetes' own by table, others by the CRDs beside them."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Kind
from hook.manifests.scope import (
    BUILT_IN_CLUSTER_SCOPED,
    BUILT_IN_NAMESPACED,
    KUBERNETES_GROUPS,
    builtin_scope,
    scope_from,
)


@pytest.mark.parametrize(
    ("kind", "namespaced"),
    [
        (Kind("", "ConfigMap"), True),
        (Kind("apps", "Deployment"), True),
        (Kind("rbac.authorization.k8s.io", "RoleBinding"), True),
        (Kind("", "Namespace"), False),
        (Kind("storage.k8s.io", "StorageClass"), False),
        (Kind("policy", "PodSecurityPolicy"), False),
        (Kind("example.org", "Gear"), None),
        (Kind("apps", "Namespace"), None),
        (Kind("gateway.networking.k8s.io", "Gateway"), None),
    ],
)
def test_scope_of_a_kind(kind: Kind, namespaced: bool | None) -> None:
    assert builtin_scope(kind) is namespaced


def test_no_kind_has_both_scopes() -> None:
    assert not BUILT_IN_CLUSTER_SCOPED & BUILT_IN_NAMESPACED


def test_groups_that_only_end_like_kubernetes_own_are_not() -> None:
    assert "gateway.networking.k8s.io" not in KUBERNETES_GROUPS
    assert {"", "apps", "rbac.authorization.k8s.io"} <= KUBERNETES_GROUPS


def crd(kind: Any, scope: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"group": "example.org", "names": {"kind": kind}, "scope": scope},
    }


def test_scopes_come_from_crds() -> None:
    assert scope_from([crd("Gear", "Namespaced"), crd("Site", "Cluster")]) == {
        Kind("example.org", "Gear"): True,
        Kind("example.org", "Site"): False,
    }


def test_odd_crds_tell_no_scope() -> None:
    odd = [crd("Gear", "Odd"), crd(1, "Cluster"), {"kind": "CustomResourceDefinition"}, {"kind": "X", "spec": {}}]
    assert scope_from([*odd, {"kind": "CustomResourceDefinition", "spec": {"names": []}}]) == {}
