"""The operator's component reconciler: it must not run during a handoff, and takes the new sets over afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.hook_process import run_handoff
from tests.integration.scenarios.objects import deployment
from tests.integration.tekton.operated_component import NEW_RELEASE, OperatedComponent, written
from tests.live_objects import Object
from tests.tekton.definitions import PIPELINE, PIPELINES_PATH
from tests.tekton.lifecycle import CREATED_BY, RELEASE_VERSION, TYPE
from tests.tekton.process import LifecycleProcess, OperatorProcess
from tests.tekton.sets import wait

RELEASE = {"HANDOFF_TEKTON_RELEASE": NEW_RELEASE}


@contextmanager
def operator_deployment(operated: OperatedComponent, replicas: int = 1) -> Iterator[None]:
    """The operator's own, as its release has it: a container for the components, one for the sets."""
    made = deployment(operated.name, "tekton-operator", replicas=replicas)
    (container,) = made["spec"]["template"]["spec"]["containers"]
    names = ("tekton-operator-lifecycle", "tekton-operator-cluster-operations")
    made["spec"]["template"]["spec"]["containers"] = [{**container, "name": name} for name in names]
    operated.cluster.load([made])
    yield
    operated.cluster.kubectl("delete", "deployment", "tekton-operator", "-n", operated.name)


def objects(operated: OperatedComponent, version: int) -> list[Object]:
    """Without a StatefulSet: what comes of it is a pair of sets."""
    return [obj for obj in operated.objects(version) if obj["kind"] != "StatefulSet"]


def labels_of(operated: OperatedComponent, name: str) -> tuple[str | None, ...]:
    """Those that the component reconciler looks at."""
    found = operated.sets.get(name)
    assert found is not None
    return tuple(found["metadata"]["labels"].get(key) for key in (CREATED_BY, TYPE, RELEASE_VERSION))


def assert_taken_over(
    operated: OperatedComponent, operator: OperatorProcess, manifests: list[Object], labelled: list[str]
) -> None:
    """Asserts that a component reconciler of the new release finds all well, and deletes and makes nothing."""
    made = operated.tekton_sets()
    for name in made:
        expected = (PIPELINE, "main", NEW_RELEASE) if name in labelled else (None, None, None)
        assert labels_of(operated, name) == expected
    with operated.probed(), LifecycleProcess(operated.cluster, NEW_RELEASE, manifests) as lifecycle:
        change = {"metadata": {"annotations": {"touched": "yes"}}}
        path = f"{PIPELINES_PATH}/{operated.name}"
        answer = operated.cluster.api.request("PATCH", path, change, content_type="application/merge-patch+json")
        assert answer.status == 200, answer.body
        wait(lambda: lifecycle.passes(operated.name) >= 2, "it has looked at the component")
        lifecycle.until_idle()
        operator.until_idle(timeout=60.0)
    assert operated.tekton_sets() == made


def test_a_component_reconciler_that_would_fight_is_named_before_anything_is_written(
    operated: OperatedComponent,
) -> None:
    operated.install(objects(operated, 1))
    before = {name: operated.sets.get(name) for name in operated.old_sets}

    with operator_deployment(operated):
        plan = run_handoff(operated.cluster, *operated.command(2, name="plan", objects=objects(operated, 2)))
        result = operated.run(2, objects=objects(operated, 2))

    assert plan.exit_code == 0, str(plan)
    assert "tekton-operator-lifecycle" in str(plan.report["warnings"])
    assert result.exit_code == 3, str(result)
    assert f"{operated.name}/tekton-operator" in result.report["message"]
    assert {name: operated.sets.get(name) for name in operated.tekton_sets()} == before
    assert operated.records() == []
    assert operated.saved() is None
    assert "ConfigMap only-in-2" not in operated.live(2)


def test_a_component_reconciler_that_is_stopped_is_no_hindrance(operated: OperatedComponent) -> None:
    operated.install(objects(operated, 1))

    with operator_deployment(operated, replicas=0):
        result = operated.run(2, objects=objects(operated, 2))

    assert result.exit_code == 0, str(result)
    assert "ConfigMap only-in-2" in operated.live(2)


def test_the_component_reconciler_takes_the_new_sets_for_its_own(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    """And the next run of the same finds nothing to do, although it runs."""
    operated.install(objects(operated, 1))

    result = operated.run(2, objects=objects(operated, 2), environment=RELEASE)

    assert result.exit_code == 0, str(result)
    assert_taken_over(operated, running_operator, objects(operated, 2), operated.new_sets())
    before = operated.state()
    with operator_deployment(operated):
        again = operated.run(2, objects=objects(operated, 2), environment=RELEASE)
    assert again.exit_code == 0, str(again)
    assert written(before, operated.state()) == {}


def test_a_third_set_is_kept_from_the_component_reconciler(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    """It would take three main sets for broken state, and delete them all."""
    operated.install()

    result = operated.run(2, environment=RELEASE)

    assert result.exit_code == 0, str(result)
    assert len(operated.new_sets()) == 3
    pair = [name for name in operated.new_sets() if "statefulset" not in name]
    assert_taken_over(operated, running_operator, operated.objects(2), pair)
    operated.assert_finished(2)
