"""No value that was sent comes back in a text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hook.cluster.status_texts import status_text, without_values
from tests.unit.cluster.scripted import status


def test_a_refused_template_is_named_and_not_quoted() -> None:
    value = json.dumps({"spec": {"containers": [{"env": [{"name": "PW", "value": "hunter2: x"}]}]}})
    body = status(
        422,
        "Invalid",
        f'Job.batch "j" is invalid: spec.template: Invalid value: {value}: field is immutable',
        causes=[
            {
                "reason": "FieldValueInvalid",
                "field": "spec.template",
                "message": f"Invalid value: {value}: field is immutable",
            }
        ],
    )

    assert status_text(body, secret=False) == "spec.template: Invalid value: ...: field is immutable"


def test_a_refused_number_stays() -> None:
    text = "Invalid value: 70000: must be between 1 and 65535"

    assert without_values(text) == text


def test_go_syntax_is_cut_up_to_the_last_part() -> None:
    text = 'Invalid value: core.PodTemplateSpec{Env: "hunter2: y"}: field is immutable'

    assert without_values(text) == "Invalid value: ...: field is immutable"


def test_a_typed_patch_loses_its_value_literal() -> None:
    text = ".data.x: expected string, got &value.valueUnstructured{Value:17}"

    assert without_values(text) == ".data.x: expected string, got ..."


def test_several_findings_are_all_named() -> None:
    text = 'a: Invalid value: "x": bad, b: Invalid value: {"c":1}: worse'

    assert without_values(text) == "a: Invalid value: ...: bad, b: Invalid value: ...: worse"


def test_what_a_webhook_says_of_a_secret_is_not_shown() -> None:
    body = status(403, "Forbidden", 'admission webhook "w.example.org" denied the request: password hunter2 is weak')

    text = status_text(body, secret=True)

    assert text == 'admission webhook "w.example.org" denied the request: (not shown for a Secret)'


def test_what_a_policy_says_of_a_secret_is_not_shown() -> None:
    said = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "
    body = status(422, "Invalid", f'secrets "a" is forbidden: {said}hunter2')

    assert status_text(body, secret=True) == f'secrets "a" is forbidden: {said}(not shown for a Secret)'


def test_of_a_secret_nothing_that_is_quoted_is_shown() -> None:
    body = status(500, "", 'unable to convert: {"data":{"p":"hunter2"}} is not "hunter2"')

    assert "hunter2" not in status_text(body, secret=True)


def test_a_text_is_one_line_of_bounded_length() -> None:
    text = status_text(status(500, "InternalError", "a\nb" * 5000), secret=False)

    assert "\n" not in text
    assert len(text) < 700


@given(st.recursive(st.text(min_size=8), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_no_json_value_survives(value: object) -> None:
    text = without_values(f"Invalid value: {json.dumps(value)}: field is immutable")

    assert text == "Invalid value: ...: field is immutable"


@given(st.text())
def test_any_text_gives_a_text(text: str) -> None:
    """Whatever the server says, telling about it never fails."""
    status_text({"message": text, "details": {"causes": [{"message": text}, 7]}}, secret=True)
