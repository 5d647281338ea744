"""Where objects are found."""

from __future__ import annotations

import pytest

from hook.cluster.resource_type import ResourceType
from hook.manifests.identity import Identity, Kind

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True)
ROLE = ResourceType("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", False)
DEPLOYMENT = ResourceType("apps", "v1", "Deployment", "deployments", True)


@pytest.mark.parametrize(
    ("rt", "namespace", "name", "subresource", "path"),
    [
        (CONFIG_MAP, "shop", "a", "", "/api/v1/namespaces/shop/configmaps/a"),
        (CONFIG_MAP, None, None, "", "/api/v1/configmaps"),
        (CONFIG_MAP, "", None, "", "/api/v1/configmaps"),
        (DEPLOYMENT, "shop", "a", "status", "/apis/apps/v1/namespaces/shop/deployments/a/status"),
        (ROLE, "ignored", "a", "", "/apis/rbac.authorization.k8s.io/v1/clusterroles/a"),
        (ROLE, None, "system:a b%", "", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%20b%25"),
    ],
)
def test_path(rt: ResourceType, namespace: str | None, name: str | None, subresource: str, path: str) -> None:
    assert rt.path(namespace, name, subresource) == path


def test_path_of_a_namespaced_object_without_a_namespace_is_refused() -> None:
    """It would be the path of something else."""
    with pytest.raises(ValueError, match="ConfigMap a is namespaced"):
        CONFIG_MAP.path(None, "a")


def test_identity_of_a_cluster_scoped_object_has_no_namespace() -> None:
    assert ROLE.identity("shop", "a") == Identity(ROLE.group, "ClusterRole", "", "a")


def test_names() -> None:
    assert DEPLOYMENT.api_version == "apps/v1"
    assert CONFIG_MAP.api_version == "v1"
    assert DEPLOYMENT.of_kind == Kind("apps", "Deployment")


def test_only_the_core_secret_is_a_secret() -> None:
    assert ResourceType("", "v1", "Secret", "secrets", True).is_secret
    assert not ResourceType("example.org", "v1", "Secret", "secrets", True).is_secret
