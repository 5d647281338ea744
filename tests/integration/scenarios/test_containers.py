"""Namespaces and CRDs hold others' objects: they stay unless told, and then until they are empty (B04, B10, B11)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import config_map, custom, definition, namespace_of, role

pytestmark = pytest.mark.cluster

NAMESPACES = ("--prune-kind=Namespace",)
DEFINITIONS = ("--prune-kind=CustomResourceDefinition",)


def test_b04_a_namespace_in_use_stays_and_goes_when_it_is_empty(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    team = f"{namespace}-team"
    container, conf = namespace_of(team), config_map(team, "conf")
    shop.run(container, conf, role(team, "reader"))
    first = shop.run(conf)
    assert present(shared_cluster, container)
    assert "--prune-kind Namespace" in shop.retained[f"Namespace {team}"]
    assert f"Namespace {team}" in first.objects("kept")
    told = shop.run(conf, options=NAMESPACES)
    assert "in use by 1 object" in shop.retained[f"Namespace {team}"]
    assert f"Namespace {team}" in told.objects("kept")

    theirs = config_map(team, "theirs")
    shared_cluster.load([theirs])
    shop.run(options=NAMESPACES)
    assert live(shared_cluster, conf) is None
    assert "theirs" in shop.retained[f"Namespace {team}"]
    assert live(shared_cluster, theirs) is not None

    shared_cluster.kubectl("delete", "configmap", "theirs", "-n", team)
    shop.proxy.forget()
    last = shop.run(options=NAMESPACES)
    assert live(shared_cluster, container) is None
    assert shop.deletions == [f"namespaces {team}"]
    assert last.objects("pruned") == [f"Namespace {team}"]
    assert shop.retained == {}


def test_the_namespace_of_the_sets_and_those_of_the_cluster_never_go(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    own, system = namespace_of(namespace), namespace_of("kube-public")
    shop.run(own, system)
    shop.run(options=NAMESPACES)
    assert live(shared_cluster, own) is not None
    assert live(shared_cluster, system) is not None
    assert "never pruned" in shop.retained[f"Namespace {namespace}"]
    assert "never pruned" in shop.retained["Namespace kube-public"]
    assert shop.deletions == []
    shop.remove()
    assert shop.mark not in present(shared_cluster, system)["metadata"]["labels"]


def test_b10_a_definition_with_somebodys_objects_stays_even_when_it_may_go(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str
) -> None:
    gears, theirs = definition(group, "Gear"), custom(group, "Gear", namespace, "theirs")
    name = f"CustomResourceDefinition gears.{group}"
    shop.run(gears)
    shared_cluster.load([theirs])
    shop.run()
    assert "--prune-kind CustomResourceDefinition" in shop.retained[name]
    result = shop.run(options=DEFINITIONS)
    assert live(shared_cluster, theirs) is not None
    assert "in use by 1 object" in shop.retained[name]
    assert "theirs" in str(result.report["kept"])
    shared_cluster.kubectl("delete", f"gears.{group}", "theirs", "-n", namespace)
    shop.run(options=DEFINITIONS)
    assert live(shared_cluster, gears) is None
    assert shop.retained == {}


def test_b10_a_definition_goes_after_its_own_obsolete_objects(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str
) -> None:
    gears, mine = definition(group, "Gear"), custom(group, "Gear", namespace, "mine")
    shop.run(gears, mine)
    shop.proxy.forget()
    shop.run(options=DEFINITIONS)
    assert shop.deletions == ["gears mine", f"customresourcedefinitions gears.{group}"]
    assert live(shared_cluster, gears) is None


def test_b11_a_custom_resource_whose_definition_was_deleted_is_gone(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str
) -> None:
    shared_cluster.load([definition(group, "Gear")])
    shop.run(custom(group, "Gear", namespace, "one"), config_map(namespace, "a"))
    shared_cluster.kubectl("delete", "crd", f"gears.{group}")
    shop.run()
    assert shop.listed == set()


def test_b11_a_definition_that_is_there_and_not_served_leaves_its_objects_unknown(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, in_cluster: Callable[..., None]
) -> None:
    gear, extra = custom(group, "Gear", namespace, "one"), config_map(namespace, "a")
    in_cluster(definition(group, "Gear"))
    shop.run(gear, extra)
    in_cluster(definition(group, "Gear", "v1!"))
    result = shop.run(code=6)
    assert "exists but" in str(result.report["incomplete"])
    assert "Gear one" in shop.listed
    assert live(shared_cluster, extra) is None
    in_cluster(definition(group, "Gear"))
    shop.run()
    assert live(shared_cluster, gear) is None
    assert shop.listed == set()
