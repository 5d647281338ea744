"""What cannot be told is neither gone nor ready: discovery with holes, groups that are down, missing rights (B07, B26,
B40)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy, Request, faults
from tests.integration.scenarios.components import Component, live, reads
from tests.integration.scenarios.objects import config_map, custom, definition, role
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def is_discovery(request: Request) -> bool:
    return request.path == "/apis"


def stale(group: str) -> Callable[[Any], None]:
    """What discovery answers about a group whose API server does not answer."""

    def change(body: Any) -> None:
        for item in body["items"]:
            if item["metadata"]["name"] == group:
                for version in item["versions"]:
                    version["freshness"] = "Stale"
                    version["resources"] = []

    return change


def without(group: str) -> Callable[[Any], None]:
    """What discovery answers where nobody has heard of a group."""

    def change(body: Any) -> None:
        body["items"] = [item for item in body["items"] if item["metadata"]["name"] != group]

    return change


@pytest.fixture
def tenant(group: str, in_cluster: Callable[..., None]) -> Object:
    """A cluster-scoped custom resource."""
    in_cluster(definition(group, "Tenant", scope="Cluster"))
    return custom(group, "Tenant", "", "blue")


def test_b07_a_hole_in_discovery_is_waited_for(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    shop.run(tenant)
    uid = live(shared_cluster, tenant)
    shop.proxy.on(is_discovery, faults.rewritten(stale(group)), times=2)
    shop.run(tenant, config_map(namespace, "a"))
    assert shop.deletions == []
    after = live(shared_cluster, tenant)
    assert uid is not None
    assert after is not None
    assert after["metadata"]["uid"] == uid["metadata"]["uid"]


def test_b07_a_hole_that_stays_ends_before_anything_is_written_where_the_group_is_wanted(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    old = config_map(namespace, "old")
    shop.run(tenant, old)
    shop.proxy.forget()
    shop.proxy.on(is_discovery, faults.rewritten(stale(group)), times=None)
    result = shop.run(tenant, config_map(namespace, "a"), options=("--timeout=6s",), code=1)
    assert "not available now" in result.report["message"]
    assert shop.proxy.writes == []
    assert live(shared_cluster, tenant) is not None
    assert live(shared_cluster, old) is not None


def test_b07_a_hole_that_stays_leaves_only_its_own_objects_unpruned(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    old = config_map(namespace, "old")
    shop.run(tenant, old)
    shop.proxy.on(is_discovery, faults.rewritten(stale(group)), times=None)
    result = shop.run(config_map(namespace, "a"), code=6)
    assert result.objects("incomplete") == [f"Tenant.{group} blue"]
    assert live(shared_cluster, tenant) is not None
    assert live(shared_cluster, old) is None
    assert "Tenant blue" in shop.listed


def test_a_group_that_is_missing_in_discovery_while_its_definition_stands_is_unknown(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    shop.run(tenant)
    shop.proxy.on(is_discovery, faults.rewritten(without(group)), times=None)
    result = shop.run(code=6)
    assert f"CustomResourceDefinition tenants.{group} exists" in str(result.report["incomplete"])
    assert live(shared_cluster, tenant) is not None
    assert "Tenant blue" in shop.listed


def test_a_path_that_is_not_found_while_discovery_has_it_is_no_absence(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    """404 of the path against 404 of the object: only the latter names what was asked for."""
    shop.run(tenant)
    shop.proxy.on(reads("tenants", "blue"), faults.answer(404, b"404 page not found\n"), times=None)
    result = shop.run(code=6)
    assert result.objects("incomplete") == [f"Tenant.{group} blue"]
    assert "Tenant blue" in shop.listed
    assert shop.deletions == []


def test_b26_one_group_that_answers_503_holds_up_its_own_objects_only(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    old = config_map(namespace, "old")
    shop.run(tenant, old)
    down = faults.status(503, "ServiceUnavailable", "the server is currently unable to handle the request")
    shop.proxy.on(lambda request: f"/apis/{group}/" in request.path, down, times=None)
    result = shop.run(config_map(namespace, "a"), code=6)
    assert result.objects("incomplete") == [f"Tenant.{group} blue"]
    assert live(shared_cluster, old) is None
    assert live(shared_cluster, tenant) is not None
    assert "Tenant blue" in shop.listed


def test_no_namespace_goes_while_a_needed_group_is_unknown(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, tenant: Object
) -> None:
    space: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"{namespace}-space"}}
    shop.run(tenant, space)
    shop.proxy.on(is_discovery, faults.rewritten(stale(group)), times=None)
    result = shop.run(options=("--prune-kind=Namespace",), code=6)
    assert set(result.objects("incomplete")) == {f"Tenant.{group} blue", f"Namespace {namespace}-space"}
    assert live(shared_cluster, space) is not None


def rights(namespace: str, *, delete_roles: bool) -> list[Object]:
    """A ServiceAccount that may do all that these components need, but perhaps delete Roles."""
    everything = ["get", "list", "watch", "create", "update", "patch", "delete"]
    on_roles = [*everything, "escalate"] if delete_roles else [*[v for v in everything if v != "delete"], "escalate"]
    rules = [
        {"apiGroups": ["installersets.io"], "resources": ["installersets", "installersets/status"], "verbs": ["*"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]},
        {"apiGroups": ["events.k8s.io"], "resources": ["events"], "verbs": ["create"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": everything},
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles"], "verbs": on_roles},
    ]
    group = "rbac.authorization.k8s.io"
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "hook", "namespace": namespace}},
        {
            "apiVersion": f"{group}/v1",
            "kind": "Role",
            "metadata": {"name": "hook", "namespace": namespace},
            "rules": rules,
        },
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "hook", "namespace": namespace},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "hook"},
            "subjects": [{"kind": "ServiceAccount", "name": "hook", "namespace": namespace}],
        },
    ]


def test_b40_what_may_not_be_deleted_stays_recorded_until_it_may(
    shop: Component, shared_cluster: Cluster, namespace: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    reader, old, new = role(namespace, "reader"), config_map(namespace, "old"), config_map(namespace, "new")
    shop.run(reader, old)
    shared_cluster.load(rights(namespace, delete_roles=False))
    with Proxy(shared_cluster.service_account_kubeconfig(namespace, "hook")) as proxy:
        limited = Component(shared_cluster, shop.name, namespace, shop.directory, proxy, {})
        result = limited.run(new, code=6)
        assert "will not be pruned" in str(result.report["warnings"])
        assert result.objects("incomplete") == [f"Role.rbac.authorization.k8s.io {namespace}/reader"]
        assert live(shared_cluster, reader) is not None
        assert live(shared_cluster, old) is None
        assert shop.listed == {"Role reader", "ConfigMap new"}
        shared_cluster.load(rights(namespace, delete_roles=True))
        limited.run(new)
    assert live(shared_cluster, reader) is None
    assert shop.listed == {"ConfigMap new"}


def test_b40_a_missing_right_is_found_before_any_write(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    shop.run(config_map(namespace, "old"))  # so that the kind of the sets is served
    shared_cluster.load(rights(namespace, delete_roles=True))
    with Proxy(shared_cluster.service_account_kubeconfig(namespace, "hook")) as proxy:
        limited = Component(shared_cluster, shop.name, namespace, shop.directory, proxy, {})
        secret: Object = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "s", "namespace": namespace},
            "stringData": {"a": "b"},
        }
        result = limited.run(secret, code=5)
        assert "secrets" in result.report["message"]
        assert proxy.writes == []
