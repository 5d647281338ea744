"""Rules of one's own, in CEL."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from hook.errors import InvalidInput
from hook.manifests.annotations import READY_WHEN
from hook.manifests.identity import Object
from hook.readiness.assess import assess
from hook.readiness.related import Unrelated
from hook.readiness.rules import Rules, check_annotation, rules_from
from hook.readiness.state import Readiness, State
from tests.unit.readiness.samples import condition, deployment, live, widget

PHASE = {"apiVersion": "example.org/v1", "kind": "Widget", "current": "status.phase == 'Running'"}
SYNCED = "status.conditions.filter(e, e.type == 'Synced').all(e, e.status == '{}')"


def verdict(obj: Object, *rules: dict[str, str], manifest: Object | None = None) -> Readiness:
    return assess(obj, Unrelated(), rules=rules_from(list(rules)), manifest=manifest)


def annotated(expression: Any, **status: Any) -> Object:
    obj = widget(**status)
    obj["metadata"]["annotations"] = {READY_WHEN: expression}
    return obj


@pytest.mark.parametrize(("phase", "expected"), [("Running", State.CURRENT), ("Starting", State.IN_PROGRESS)])
def test_current_decides(phase: str, expected: State) -> None:
    assert verdict(widget(phase=phase), PHASE).state is expected


def test_a_rule_that_is_not_met_is_what_is_waited_for() -> None:
    assert verdict(widget(phase="Starting"), PHASE).waiting_for == "`status.phase == 'Running'`"


def test_failed_is_terminal() -> None:
    assert verdict(widget(phase="Broken"), {**PHASE, "failed": "status.phase == 'Broken'"}).state is State.FAILED


def test_in_progress_comes_before_failed_and_failed_before_current() -> None:
    every = {**PHASE, "inProgress": "true", "failed": "true", "current": "true"}
    assert verdict(widget(), every).state is State.IN_PROGRESS
    assert verdict(widget(), {**every, "inProgress": "false"}).state is State.FAILED
    assert verdict(widget(), {**every, "inProgress": "false", "failed": "false"}).state is State.CURRENT


@pytest.mark.parametrize(("status", "expected"), [("True", State.CURRENT), ("False", State.FAILED)])
def test_an_expression_written_for_flux_works(status: str, expected: State) -> None:
    rule = {**PHASE, "current": SYNCED.format("True"), "failed": SYNCED.format("False")}
    assert verdict(widget(conditions=[condition("Synced", status)]), rule).state is expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("status.?phase.orValue('') == 'Running'", State.CURRENT),
        ("status.?other.orValue('none') == 'none'", State.CURRENT),
        ("has(status.other)", State.IN_PROGRESS),
        ("status.phase.lowerAscii().matches('^run')", State.CURRENT),
        ("metadata.generation == 2 && kind == 'Widget'", State.CURRENT),
        ("self.status.phase == 'Running'", State.CURRENT),
        ("status.count >= 2.0", State.CURRENT),
    ],
)
def test_what_the_language_offers_can_be_used(expression: str, expected: State) -> None:
    assert verdict(widget(phase="Running", count=2), {**PHASE, "current": expression}).state is expected


@pytest.mark.parametrize(
    "expression", ["status.other == 'x'", "status.phase", "data.x == 'y'", "status.list[5] == 1", "status.phase > 5"]
)
def test_an_expression_without_an_answer_is_in_progress_and_tells_why(expression: str) -> None:
    told = verdict(widget(phase="Running", list=[1]), {**PHASE, "current": expression})
    assert told.state is State.IN_PROGRESS
    assert "has no answer yet: " in told.reason


def test_a_rule_does_not_excuse_a_status_of_another_generation() -> None:
    assert verdict(widget(phase="Running", observedGeneration=1), PHASE).state is State.IN_PROGRESS


def test_a_rule_does_not_excuse_a_deletion() -> None:
    obj = widget(phase="Running")
    obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert verdict(obj, PHASE).state is State.TERMINATING


def test_a_rule_comes_before_the_rules_for_its_kind() -> None:
    rule = {"apiVersion": "apps/v1", "kind": "Deployment", "current": "status.readyReplicas >= 2"}
    assert verdict(deployment({"paused": True}, updatedReplicas=1), rule).state is State.CURRENT
    config = {"apiVersion": "v1", "kind": "ConfigMap", "current": "data.done == 'yes'"}
    assert verdict(live("v1", "ConfigMap", data={"done": "no"}), config).state is State.IN_PROGRESS


def test_a_rule_for_another_kind_or_group_does_not_count() -> None:
    assert verdict(widget(phase="Running"), {**PHASE, "kind": "Gadget", "current": "false"}).state is State.CURRENT
    other = {**PHASE, "apiVersion": "example.com/v1", "current": "false"}
    assert verdict(widget(phase="Running"), other).state is State.CURRENT


def test_the_rule_for_the_object_s_version_comes_before_one_for_another_version() -> None:
    other = {**PHASE, "apiVersion": "example.org/v2", "current": "false"}
    assert verdict(widget(phase="Running"), other).state is State.IN_PROGRESS
    assert verdict(widget(phase="Running"), other, PHASE).state is State.CURRENT


def test_the_annotation_of_an_object_comes_before_a_rule_for_its_kind() -> None:
    assert verdict(annotated("status.phase == 'Idle'", phase="Idle"), PHASE).state is State.CURRENT


def test_the_annotation_of_the_manifest_counts_not_that_of_the_live_object() -> None:
    assert verdict(annotated("true", phase="Idle"), PHASE, manifest=widget()).state is State.IN_PROGRESS


def test_an_annotation_that_does_not_compile_never_raises_on_a_live_object() -> None:
    told = verdict(annotated("status.phase =="))
    assert told.state is State.IN_PROGRESS
    assert READY_WHEN in told.reason


def test_an_annotation_that_does_not_compile_is_bad_input_with_its_place_and_position() -> None:
    with pytest.raises(InvalidInput, match=rf"a\.yaml:7: annotation {READY_WHEN}: line 1, column 16: Syntax error"):
        check_annotation(annotated("status.phase =="), "a.yaml:7")


@pytest.mark.parametrize("obj", [widget(), annotated("status.phase == 'x'"), annotated(5), {"metadata": 5}, {}])
def test_any_other_annotation_passes(obj: Object) -> None:
    check_annotation(obj, "a.yaml:7")


@pytest.mark.parametrize(
    ("expression", "position"),
    [
        ("status.phase ==", "line 1, column 16: Syntax error"),
        ("status..phase", "line 1, column 8: Syntax error"),
        ("status.a &&\n  (status.b", "line 2, column 12: Syntax error"),
        ("statuss.phase == 'x'", "line 1, column 8: undeclared reference"),
        ("'a' + 1 == 'b'", "line 1, column 5: found no matching overload"),
        ("unknown(status)", "line 1, column 8: undeclared reference"),
        ("'text'", "line 1, column 1: the expression is a STRING"),
    ],
)
def test_a_rule_that_does_not_compile_is_bad_input_with_its_place_and_position(expression: str, position: str) -> None:
    with pytest.raises(InvalidInput) as error:
        rules_from([PHASE, {**PHASE, "kind": "Gadget", "failed": expression}], "handoff.yaml: healthCheckExprs")
    assert error.value.message.startswith(f"handoff.yaml: healthCheckExprs[1].failed: {position}")
    assert error.value.details == (f"in: {expression}",)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ({}, "list of rules"),
        ("text", "list of rules"),
        (["text"], "has to be a mapping"),
        ([{**PHASE, "currant": "true"}], "unknown key 'currant'"),
        ([{**PHASE, "current": ""}], "current: it has to be text"),
        ([{**PHASE, "current": True}], "current: it has to be text"),
        ([{**PHASE, "kind": None}], "kind: it has to be text"),
        ([{"apiVersion": "v1", "kind": "Pod"}], "current is missing"),
        ([{"apiVersion": "v1", "current": "true"}], "kind is missing"),
        ([PHASE, PHASE], "there is a rule for example.org/v1 Widget already"),
    ],
)
def test_rules_of_another_shape_are_bad_input(rules: Any, fault: str) -> None:
    with pytest.raises(InvalidInput, match="healthCheckExprs") as error:
        rules_from(rules)
    assert fault in error.value.message


@pytest.mark.parametrize("none", [None, [], ()])
def test_no_rules_are_no_rules(none: Any) -> None:
    assert rules_from(none) == Rules()


def test_the_library_loads_only_when_there_is_a_rule() -> None:
    program = (
        "import sys\n"
        "from hook.readiness.assess import assess\n"
        "from hook.readiness.related import Unrelated\n"
        "from hook.readiness.rules import rules_from\n"
        "obj = {'apiVersion': 'example.org/v1', 'kind': 'Widget', 'metadata': {'name': 'x'}, 'status': {'a': 1}}\n"
        "assess(obj, Unrelated(), rules=rules_from([]))\n"
        "print(any(name.startswith('cel') for name in sys.modules))\n"
        "rules_from([{'apiVersion': 'v1', 'kind': 'Pod', 'current': 'true'}])\n"
        "print(any(name.startswith('cel') for name in sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]


def test_without_the_library_a_rule_is_bad_input_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from hook.readiness import expressions

    expressions._load.cache_clear()
    monkeypatch.setitem(sys.modules, "cel_expr_python.cel", None)
    with pytest.raises(InvalidInput, match="extra `cel`"):
        rules_from([PHASE])
