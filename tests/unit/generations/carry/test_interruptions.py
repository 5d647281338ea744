"""What the preflight says of workloads whose manifest makes an interruption certain."""

from __future__ import annotations

from typing import Any

import pytest

from hook.generations.carry_over import cannot_carry
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, deployment, entry


def lines(desired: Object, live: Object | None = None) -> tuple[str, ...]:
    return cannot_carry(desired, live or applied(deployment("shop:1")), OURS)


def rolling(**values: Any) -> dict[str, Any]:
    return {"type": "RollingUpdate", "rollingUpdate": values}


@pytest.mark.parametrize(
    "spec",
    [
        {"strategy": {"type": "Recreate"}},
        {"strategy": rolling(maxSurge=0)},
        {"strategy": rolling(maxSurge="0%", maxUnavailable=0), "replicas": 1},
        {"strategy": rolling(maxUnavailable=3), "replicas": 3},
        {"strategy": rolling(maxUnavailable="100%"), "replicas": 3},
    ],
)
def test_a_deployment_that_keeps_no_pod_is_named(spec: dict[str, Any]) -> None:
    assert len(lines(deployment("shop:2", **spec))) == 1


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"replicas": 1},
        {"replicas": 3, "strategy": rolling(maxSurge=0, maxUnavailable=1)},
        {"replicas": 0, "strategy": {"type": "Recreate"}},
        {"replicas": 2, "strategy": rolling(maxUnavailable="50%")},
    ],
)
def test_a_deployment_that_keeps_a_pod_is_not(spec: dict[str, Any]) -> None:
    assert lines(deployment("shop:2", **spec)) == ()


def test_replicas_that_the_manifest_leaves_out_are_the_live_ones() -> None:
    desired = deployment("shop:2", strategy=rolling(maxSurge=0))
    live = applied(deployment("shop:1"))
    live["spec"]["replicas"] = 4
    assert lines(desired, live) == ()


def test_a_template_that_does_not_change_interrupts_nothing() -> None:
    desired = deployment("shop:1", strategy={"type": "Recreate"})
    live = applied(desired)
    live["spec"]["template"]["spec"]["restartPolicy"] = "Always"  # a default
    live["spec"]["template"]["spec"]["volumes"][0]["emptyDir"] = {}
    assert lines(desired, live) == ()


def test_a_field_of_ours_that_goes_changes_the_template() -> None:
    desired = deployment("shop:1", strategy={"type": "Recreate"})
    before = deployment("shop:1", strategy={"type": "Recreate"})
    before["spec"]["template"]["spec"]["priorityClassName"] = "high"
    assert len(lines(desired, applied(before))) == 1


def test_a_field_of_somebody_else_that_we_do_not_mention_does_not() -> None:
    desired = deployment("shop:1", strategy={"type": "Recreate"})
    other = entry({"f:spec": {"f:template": {"f:spec": {"f:priorityClassName": {}}}}}, "injector", "Update")
    live = applied(desired, OURS, other)
    live["spec"]["template"]["spec"]["priorityClassName"] = "high"
    assert lines(desired, live) == ()


def workload(kind: str, image: str, **spec: Any) -> Object:
    return {**deployment(image, **spec), "kind": kind}


@pytest.mark.parametrize(
    ("kind", "spec", "said"),
    [
        ("StatefulSet", {"replicas": 1}, "a StatefulSet has no surge"),
        ("StatefulSet", {"replicas": 3}, ""),
        ("StatefulSet", {"replicas": 0}, ""),
        ("StatefulSet", {"replicas": 3, "updateStrategy": {"type": "OnDelete"}}, "update strategy OnDelete"),
        ("StatefulSet", {"replicas": 3, "updateStrategy": {"rollingUpdate": {"partition": 2}}}, "partition 2: 2 old"),
        ("DaemonSet", {"updateStrategy": {"type": "OnDelete"}}, "update strategy OnDelete"),
        ("DaemonSet", {}, ""),
    ],
)
def test_other_workloads(kind: str, spec: dict[str, Any], said: str) -> None:
    found = lines(workload(kind, "shop:2", **spec), applied(workload(kind, "shop:1", **spec)))
    assert len(found) == bool(said)
    assert all(line.startswith(said) for line in found)
