"""Bodies: what is an object, and what was meant is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.cluster.bodies import holds, is_list, is_object, meant, typed
from hook.cluster.resource_type import ResourceType

SECRET = ResourceType("", "v1", "Secret", "secrets", True)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "ConfigMap"},
        {"kind": "ConfigMap", "metadata": {"name": "other"}},
        {"kind": "Status", "metadata": {"name": "a"}},
        {"metadata": {"name": "a"}},
        {"kind": "ConfigMap", "metadata": None},
    ],
)
def test_what_is_not_the_object_that_was_asked_for(body: dict[str, object]) -> None:
    assert not is_object(body, "a")


def test_a_list_may_have_null_items() -> None:
    assert is_list({"kind": "ConfigMapList", "metadata": {}, "items": None})


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "ConfigMap", "metadata": {}, "items": []},
        {"kind": "ConfigMapList", "items": []},
        {"kind": "ConfigMapList", "metadata": {}, "items": {}},
        {"kind": "ConfigMapList", "metadata": {}, "items": [None]},
    ],
)
def test_what_is_no_list(body: dict[str, object]) -> None:
    assert not is_list(body)


def test_metadata_only_drops_the_rest_even_if_the_server_sent_it() -> None:
    body = {"kind": "Secret", "metadata": {"name": "a"}, "data": {"p": "aHVudGVyMg=="}}

    assert typed(SECRET, body, True) == {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}


def test_items_get_the_kind_that_lists_leave_out() -> None:
    assert typed(SECRET, {"metadata": {"name": "a"}}, False)["kind"] == "Secret"


@given(JSON)
def test_everything_holds_itself(value: object) -> None:
    assert holds(value, value)


@given(JSON, st.text(max_size=3), st.integers(1))
def test_a_key_more_is_missed(value: object, key: str, number: int) -> None:
    live = value if isinstance(value, dict) else {}
    wanted = {**live, key: number}

    assert holds(live, wanted) == (live.get(key) == number)


def test_what_the_server_added_does_not_matter() -> None:
    assert holds({"a": 1, "b": 2}, {"a": 1, "c": None, "d": {}, "e": []})


def test_what_was_meant_leaves_out_what_the_server_moves() -> None:
    obj = {"kind": "X", "metadata": {"name": "a", "resourceVersion": "1", "uid": "u", "labels": {"l": "1"}}, "spec": 1}

    assert meant(obj, None)["metadata"] == {"name": "a", "labels": {"l": "1"}, "annotations": None}
    assert meant({**obj, "status": {"s": 1}}, "status") == {"status": {"s": 1}}
