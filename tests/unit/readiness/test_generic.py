"""When a kind without a rule of its own is ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.state import State
from tests.unit.readiness.samples import condition, judged, live, state, widget

READY = condition("Ready")


def with_conditions(*conditions: Any, **status: Any) -> Object:
    return widget(conditions=list(conditions), **status)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("True", State.CURRENT),
        ("False", State.IN_PROGRESS),
        ("Unknown", State.IN_PROGRESS),
        ("true", State.IN_PROGRESS),
        ("", State.IN_PROGRESS),
        (None, State.IN_PROGRESS),
        (True, State.IN_PROGRESS),
    ],
)
def test_ready_has_to_be_true_and_false_is_never_terminal(status: Any, expected: State) -> None:
    assert state(with_conditions(condition("Ready", status))) is expected


def test_what_ready_says_is_shown() -> None:
    verdict = judged(with_conditions(condition("Ready", "False", "NoDisk", message="waiting for a disk")))
    assert "NoDisk: waiting for a disk" in verdict.reason
    assert verdict.waiting_for == "condition Ready"


def test_ready_that_stands_twice_has_to_be_true_twice() -> None:
    assert state(with_conditions(READY, condition("Ready", "False"))) is State.IN_PROGRESS


def test_reconciling_outranks_ready() -> None:
    assert state(with_conditions(READY, condition("Reconciling"))) is State.IN_PROGRESS


def test_reconciling_that_is_over_does_not_count() -> None:
    assert state(with_conditions(READY, condition("Reconciling", "False"))) is State.CURRENT


@pytest.mark.parametrize("turned", [False, True])
def test_stalled_outranks_reconciling_and_ready_in_any_order(turned: bool) -> None:
    conditions = [READY, condition("Reconciling"), condition("Stalled", message="quota")]
    verdict = judged(with_conditions(*(reversed(conditions) if turned else conditions)))
    assert verdict.state is State.FAILED
    assert "quota" in verdict.reason


def test_stalled_of_another_generation_is_in_progress() -> None:
    assert state(with_conditions(condition("Stalled"), observedGeneration=1)) is State.IN_PROGRESS


@pytest.mark.parametrize("observed", [1, 3, "1", 1.0])
def test_ready_of_another_generation_is_in_progress(observed: Any) -> None:
    assert state(with_conditions(READY, observedGeneration=observed)) is State.IN_PROGRESS


@pytest.mark.parametrize("observed", [2, "2", 2.0, None])
def test_ready_of_this_generation_is_ready(observed: Any) -> None:
    assert state(with_conditions(READY, observedGeneration=observed)) is State.CURRENT


@pytest.mark.parametrize("odd", ["two", "", "٢", "-2", 2.5, True, [], {}])
def test_an_odd_observed_generation_is_in_progress(odd: Any) -> None:
    assert state(with_conditions(READY, observedGeneration=odd)) is State.IN_PROGRESS


@pytest.mark.parametrize(("seen", "expected"), [(1, State.IN_PROGRESS), (2, State.CURRENT), (3, State.CURRENT)])
def test_a_condition_of_an_older_generation_is_ignored(seen: int, expected: State) -> None:
    assert state(with_conditions({**READY, "observedGeneration": seen})) is expected


def test_a_stale_stalled_condition_is_ignored() -> None:
    assert state(with_conditions({**condition("Stalled"), "observedGeneration": 1}, READY)) is State.CURRENT


@pytest.mark.parametrize(
    "status", [None, {}, {"observedGeneration": 2}, {"observedGeneration": "2"}, {"conditions": []}, {"phase": None}]
)
def test_an_empty_status_is_given_a_grace_period(status: Any) -> None:
    obj = {**widget(), "status": status}
    for age in (None, 0.0, 59.9):
        verdict = judged(obj, age=age)
        assert verdict.state is State.IN_PROGRESS
        assert verdict.warning
    late = judged(obj, age=60.0)
    assert late.state is State.CURRENT
    assert late.warning


def test_a_missing_status_is_an_empty_one() -> None:
    obj = widget()
    del obj["status"]
    assert state(obj) is State.IN_PROGRESS


def test_a_kind_whose_schema_has_no_status_is_ready_at_once() -> None:
    verdict = judged(widget(), status_in_schema=False, age=0.0)
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


def test_a_status_without_conditions_is_ready_with_a_warning() -> None:
    verdict = judged(widget(phase="Active"))
    assert verdict.state is State.CURRENT
    assert verdict.warning


def test_conditions_of_which_none_is_ready_are_named_in_a_warning() -> None:
    verdict = judged(with_conditions(condition("Synced", "False")))
    assert verdict.state is State.CURRENT
    assert "Synced" in (verdict.warning or "")


@pytest.mark.parametrize("odd", ["text", 1, {"a": 1}, ["text"], [1], [None], [{"type": 1}], [{"message": []}]])
def test_odd_conditions_are_in_progress(odd: Any) -> None:
    assert state(widget(conditions=odd)) is State.IN_PROGRESS


@pytest.mark.parametrize("odd", ["text", 1, [], True])
def test_an_odd_status_is_in_progress(odd: Any) -> None:
    assert state({**widget(), "status": odd}) is State.IN_PROGRESS


def test_a_built_in_kind_without_a_rule_needs_no_status() -> None:
    verdict = judged(live("storage.k8s.io/v1", "VolumeAttachment", spec={}))
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


def test_a_group_that_only_looks_built_in_is_a_custom_resource() -> None:
    assert state(live("gateway.networking.k8s.io/v1", "Gateway", spec={})) is State.IN_PROGRESS


def test_an_autoscaler_that_does_not_scale_is_ready() -> None:
    status = {"conditions": [condition("ScalingActive", "False")]}
    assert state(live("autoscaling/v2", "HorizontalPodAutoscaler", spec={}, status=status)) is State.CURRENT
