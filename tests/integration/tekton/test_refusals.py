"""What would go wrong with the operator at work is refused before anything is written."""

from __future__ import annotations

import copy

import pytest

from tests.hook_process import HookResult
from tests.integration.scenarios.objects import config_map, deployment
from tests.integration.tekton.operated_component import OperatedComponent
from tests.live_objects import Object


@pytest.fixture
def old(operated: OperatedComponent) -> list[Object]:
    """What the operator has installed: little, since nothing comes of it."""
    objects = [config_map("", "settings", {"version": "1"}), deployment("", "app")]
    operated.install(objects)
    return objects


def new(old: list[Object]) -> list[Object]:
    objects = copy.deepcopy(old)
    objects[0]["data"] = {"version": "2"}
    return objects


def assert_untouched(operated: OperatedComponent, old: list[Object], before: Object, result: HookResult) -> None:
    assert result.exit_code == 3, str(result)
    assert _state(operated, old) == before
    assert operated.saved() is None


def _state(operated: OperatedComponent, old: list[Object]) -> Object:
    """Without the Deployment, whose status its controller writes; the specs tell whether it was changed."""
    config, workload = operated.live_of(old).values()
    sets = [one["spec"] for name in operated.tekton_sets() if (one := operated.sets.get(name)) is not None]
    return {"config": config, "spec": workload["spec"], "sets": sets, "records": operated.records()}


def test_a_set_that_nobody_named_and_that_lists_the_same_is_named(
    operated: OperatedComponent, old: list[Object]
) -> None:
    stray = f"stray-{operated.name}"
    operated.sets.create(stray, [config_map(operated.name, "settings", {"version": "1"})])
    operated.until_ready(stray)
    before = _state(operated, old)

    result = operated.run(2, objects=new(old))

    assert_untouched(operated, old, before, result)
    assert stray in result.report["message"]


def test_a_named_set_that_does_not_exist_is_refused_at_a_first_run(
    operated: OperatedComponent, old: list[Object]
) -> None:
    before = _state(operated, old)

    result = operated.run(2, "--tekton-set", "no-such-set", objects=new(old))

    assert_untouched(operated, old, before, result)
    assert "no-such-set" in result.report["message"]


def test_a_component_of_the_operator_is_not_native_too(operated: OperatedComponent) -> None:
    objects = [config_map("", "settings")]
    first = operated.run_alone(1, objects=objects)
    assert first.exit_code == 0, str(first)
    before = operated.sets.get(operated.new_sets()[0]), operated.records(), operated.live_of(objects)

    result = operated.run(
        2, objects=[config_map("", "settings", {"key": "new"})], environment={"HANDOFF_KIND": "native"}
    )

    assert result.exit_code == 3, str(result)
    assert "native" in result.report["message"]
    assert (operated.sets.get(operated.new_sets()[0]), operated.records(), operated.live_of(objects)) == before


def test_a_changed_selector_is_refused_before_the_old_sets_are_touched(
    operated: OperatedComponent, old: list[Object]
) -> None:
    before = _state(operated, old)
    objects = new(old)
    labels = {"app": "app", "version": "v2"}
    objects[1]["spec"]["selector"]["matchLabels"] = objects[1]["spec"]["template"]["metadata"]["labels"] = labels

    result = operated.run(2, objects=objects)

    assert_untouched(operated, old, before, result)
    assert "selector" in result.report["message"]


def test_a_set_of_another_components_handoff_is_not_taken_over(operated: OperatedComponent, old: list[Object]) -> None:
    made = f"other-static-{operated.name}"
    operated.sets.create(made, [], labels={"installersets.io/component": "other"})
    operated.until_ready(made)
    before = _state(operated, old)

    result = operated.run(2, "--tekton-set", made, objects=new(old))

    assert_untouched(operated, old, before, result)
    assert "other" in result.report["message"]
