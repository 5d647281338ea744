"""An aggregated API whose server is gone: it blocks what needs it, is named, and blocks nothing else (B25, B26)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.cluster.proxy import Proxy
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import config_map, namespace_of
from tests.live_objects import Object

pytestmark = pytest.mark.cluster

API: Object = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1beta1.stats.example.org"},
    "spec": {
        "group": "stats.example.org",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"namespace": "default", "name": "nowhere"},
    },
}


@pytest.fixture(scope="module")
def cluster(module_cluster: Cluster) -> Cluster:
    """A cluster with such an API: everybody in it would suffer."""
    module_cluster.load([API])
    wait_until(lambda: is_stale(module_cluster), "discovery knows that it does not answer", timeout=30)
    return module_cluster


def is_stale(cluster: Cluster) -> bool:
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    items = cluster.api.request("GET", "/apis", accept=accept).body["items"]
    versions = [v for item in items if item["metadata"]["name"] == "stats.example.org" for v in item["versions"]]
    return [version.get("freshness") for version in versions] == ["Stale"]


@pytest.fixture
def shop(cluster: Cluster, tmp_path: Path) -> Iterator[Component]:
    with Proxy(cluster.kubeconfig) as proxy:
        yield Component(cluster, "shop", "default", tmp_path, proxy, {})
        proxy.forget()


def test_b26_a_dead_api_that_nobody_needs_is_in_nobodys_way(shop: Component, cluster: Cluster) -> None:
    shop.run(config_map("default", "a", {"v": "1"}), config_map("default", "old"))
    shop.run(config_map("default", "a", {"v": "2"}))
    assert present(cluster, config_map("default", "a"))["data"] == {"v": "2"}
    assert live(cluster, config_map("default", "old")) is None


def test_b26_an_object_of_the_dead_api_stays_recorded(shop: Component, cluster: Cluster) -> None:
    shop.run(config_map("default", "a"))
    (one,) = shop.sets
    line = {"group": "stats.example.org", "version": "v1beta1", "kind": "Stat", "namespace": "default", "name": "s"}
    path = f"/apis/installersets.io/v1alpha1/namespaces/default/installersets/{one['metadata']['name']}"
    operation = {"op": "add", "path": "/spec/resources/-", "value": line}
    cluster.api.request("PATCH", path, [operation], content_type="application/json-patch+json")
    result = shop.run(config_map("default", "b"), code=6)
    assert result.objects("incomplete") == ["Stat.stats.example.org default/s"]
    assert live(cluster, config_map("default", "a")) is None
    assert shop.listed == {"Stat s", "ConfigMap b"}


def test_b25_a_namespace_that_the_dead_api_holds_is_explained_and_left_alone(shop: Component, cluster: Cluster) -> None:
    space, old = namespace_of("old-space"), config_map("default", "old")
    other = Component(cluster, "other", "default", shop.directory, shop.proxy, {})
    other.run(space, old)
    cluster.kubectl("delete", "namespace", "old-space", "--wait=false")
    wait_until(
        lambda: "NamespaceDeletionDiscoveryFailure" in str(present(cluster, space)["status"].get("conditions")),
        "the namespace controller has met the dead API",
        timeout=30,
    )
    other.proxy.forget()
    result = other.run(options=("--timeout=9s",), code=6)
    (told,) = result.report["incomplete"]
    assert told["object"] == "Namespace old-space"
    assert "APIService v1beta1.stats.example.org is not available" in told["why"]
    assert other.deletions == ["configmaps old"]
    assert live(cluster, old) is None
    cluster.kubectl("delete", "apiservice", API["metadata"]["name"])
    other.run(options=("--timeout=60s",))
    assert live(cluster, space) is None
    assert other.listed == set()
    cluster.load([API])
