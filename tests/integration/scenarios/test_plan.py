"""`handoff plan`: what a run would do, told before, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.hook_inside import run_inside
from tests.integration.scenarios.components import Component
from tests.integration.scenarios.objects import (
    config_map,
    custom,
    definition,
    deployment,
    job,
    namespace_of,
    role,
    service,
)
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


def planned(component: Component, *objects: Object, options: tuple[str, ...] = (), code: int = 10) -> dict[str, Any]:
    component.proxy.forget()
    arguments = component.arguments(objects, ("--exit-code", *options), "plan")
    result = run_inside(component.proxy.kubeconfig, *arguments, environment=component.environment)
    assert result.exit_code == code, result
    assert component.proxy.writes == []
    assert not [r for r in component.proxy.requests if r.request.plural == "leases"]
    return result.report


def names(plan: dict[str, Any], key: str) -> list[str]:
    return [entry["object"] for entry in plan[key]]


def test_a_first_install_is_planned_and_afterwards_there_is_nothing_to_do(
    shop: Component, namespace: str, group: str
) -> None:
    secret: Object = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "s", "namespace": namespace},
        "stringData": {"a": "b"},
    }
    objects = (config_map(namespace, "a"), secret, definition(group, "Gear"), custom(group, "Gear", namespace, "g"))
    plan = planned(shop, *objects)
    assert len(plan["create"]) == 4
    assert plan["changes"] is True
    shop.run(*objects)
    plan = planned(shop, *objects, code=0)
    assert plan["changes"] is False
    assert plan["unchanged"] == 4
    changed = {**secret, "stringData": {"a": "c"}}
    assert names(planned(shop, objects[0], changed, *objects[2:]), "change") == [f"Secret {namespace}/s"]


def test_the_plan_of_an_upgrade_comes_true(shop: Component, shared_cluster: Cluster, namespace: str) -> None:
    space = namespace_of(f"{namespace}-space")
    old = [
        space,
        role(namespace, "app", "pods", "events"),
        config_map(namespace, "conf", {"a": "1", "b": "2"}),
        config_map(namespace, "obsolete"),
        deployment(namespace, "gone"),
        service(namespace, "same"),
        job(namespace, "setup"),
    ]
    shared_cluster.load([config_map(namespace, "adopted", {"x": "y"})])
    new = [
        role(namespace, "app", "pods"),
        config_map(namespace, "conf", {"a": "1"}),
        service(namespace, "same"),
        config_map(namespace, "new"),
        config_map(namespace, "adopted", {"x": "z"}),
        job(namespace, "setup", "v2"),
    ]
    shop.run(*old)
    plan = planned(shop, *new)
    assert names(plan, "create") == [f"ConfigMap {namespace}/new"]
    assert set(names(plan, "change")) == {
        f"ConfigMap {namespace}/adopted",
        f"ConfigMap {namespace}/conf",
        f"Role.rbac.authorization.k8s.io {namespace}/app",
    }
    assert names(plan, "adopt") == [f"ConfigMap {namespace}/adopted"]
    assert names(plan, "recreate") == [f"Job.batch {namespace}/setup"]
    assert len(plan["retire"]) == 2
    actions = {entry["object"]: entry["action"] for entry in plan["prune"]}
    assert actions == {
        f"ConfigMap {namespace}/obsolete": "delete",
        f"Deployment.apps {namespace}/gone": "delete",
        f"Namespace {namespace}-space": "retain",
    }
    assert set(names(plan, "carried")) == {
        f"ConfigMap {namespace}/conf",
        f"Role.rbac.authorization.k8s.io {namespace}/app",
    }
    result = shop.run(*new)
    assert set(result.objects("pruned")) == {name for name, action in actions.items() if action == "delete"}
    assert set(result.objects("adopted")) == set(names(plan, "adopt"))
    assert planned(shop, *new, code=0)["changes"] is False
    shared_cluster.kubectl("delete", "namespace", f"{namespace}-space", "--wait=false")


def test_the_plan_of_a_prune_reads_in_its_order(shop: Component, namespace: str) -> None:
    shop.run(config_map(namespace, "a"), deployment(namespace, "web"))
    result = run_inside(shop.proxy.kubeconfig, *shop.arguments((), (), "plan"), output="text")
    assert result.exit_code == 0, result
    lines = [line.strip() for line in result.stdout.splitlines()]
    workload = lines.index(f"Deployment.apps {namespace}/web")
    rest = lines.index(f"ConfigMap {namespace}/a")
    assert lines[workload - 1] == "delete, workloads:"
    assert workload < rest


def test_what_a_run_would_refuse_the_plan_refuses(make_component: Callable[..., Component], namespace: str) -> None:
    one, two = make_component("one"), make_component("two")
    one.run(config_map(namespace, "a"))
    arguments = two.arguments((config_map(namespace, "a"),), (), "plan")
    result = run_inside(two.proxy.kubeconfig, *arguments)
    assert result.exit_code == 3
    assert one.name in result.stderr
    assert two.proxy.writes == []
