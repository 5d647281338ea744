from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.generations.field_sets import Item, item_node, owns_path, show, union, without_leaves

names = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'v:"one"'])
# No set is empty below its root: a node without anything is a field of its own.
nodes: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.just({}),
    lambda below: st.builds(
        lambda children, itself: {**children, **({".": {}} if itself else {})},
        st.dictionaries(names, below, min_size=1, max_size=3),
        st.booleans(),
    ),
    max_leaves=12,
)
sets = st.dictionaries(names, nodes, max_size=3)


def members(node: dict[str, Any], path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The paths that a set of fields holds, by its definition."""
    found = set()
    if path and (not node or "." in node):
        found.add(path)
    for name, child in node.items():
        if name != ".":
            found |= members(child, (*path, name))
    return found


@given(sets, sets)
def test_union_holds_exactly_the_members_of_both(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert members(union((one, other))) == members(one) | members(other)


@given(sets, sets)
def test_union_changes_neither_of_its_parts(one: dict[str, Any], other: dict[str, Any]) -> None:
    before = copy.deepcopy((one, other))
    union((one, other))["f:a"] = {"f:new": {}}
    assert (one, other) == before


@given(sets)
def test_union_with_itself_changes_nothing(one: dict[str, Any]) -> None:
    assert members(union((one, one))) == members(one)


def test_union_of_a_whole_and_what_is_below_it_keeps_both() -> None:
    assert union(({"f:data": {}}, {"f:data": {"f:a": {}}})) == {"f:data": {".": {}, "f:a": {}}}


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        (("data", "a"), True),
        (("data", "b"), False),
        (("data",), True),
        (("rules", "anything"), True),  # owned as a whole
        (("other",), False),
    ],
)
def test_owns_path(path: tuple[str, ...], owned: bool) -> None:
    assert owns_path({"f:data": {"f:a": {}}, "f:rules": {}}, path) is owned


def test_an_item_is_found_by_its_keys() -> None:
    node: dict[str, Any] = {'k:{"name":"a"}': {"f:x": {}}, 'k:{"name":"b"}': {"f:y": {}}}
    assert item_node(node, {"name": "b", "other": 1}) == {"f:y": {}}


def test_a_key_that_the_item_lacks_may_be_a_default_of_the_server() -> None:
    assert item_node({'k:{"containerPort":80,"protocol":"TCP"}': {".": {}}}, {"containerPort": 80}) == {".": {}}


def test_an_item_with_another_key_is_not_found() -> None:
    assert item_node({'k:{"containerPort":80,"protocol":"TCP"}': {}}, {"containerPort": 80, "protocol": "UDP"}) is None


def test_a_member_of_a_set_is_found_by_its_value_and_type() -> None:
    node: dict[str, Any] = {"v:1": {}}
    assert item_node(node, 1) == {}
    assert item_node(node, True) is None


def test_paths_are_shown_with_items_by_name_and_never_by_value() -> None:
    path = ("spec", "env", Item({"name": "TOKEN", "value": "hunter2"}), "value")
    assert show(path) == "spec.env[TOKEN].value"
    assert show(("metadata", "labels", "example.org/a")) == "metadata.labels[example.org/a]"
    assert show(("spec", "list", Item({"secret": "hunter2"}))) == "spec.list[]"


def test_without_leaves_takes_what_a_manifest_sets_and_leaves_the_rest() -> None:
    fields = {"f:data": {".": {}, "f:a": {}, "f:b": {}}, "f:metadata": {"f:labels": {"f:x": {}}}}
    assert without_leaves(fields, {"data": {"a": "1"}}) == {
        "f:data": {".": {}, "f:b": {}},
        "f:metadata": {"f:labels": {"f:x": {}}},
    }


def test_without_leaves_finds_list_items_by_their_keys() -> None:
    item = 'k:{"name":"X"}'
    fields = {"f:env": {item: {".": {}, "f:name": {}, "f:value": {}}}}
    assert without_leaves(fields, {"env": [{"name": "X", "value": "1"}]}) == {}
    assert without_leaves(fields, {"env": [{"name": "Y", "value": "1"}]}) == fields


def test_without_leaves_of_an_item_that_a_manifest_sets_in_part_keeps_the_other_part() -> None:
    item = 'k:{"name":"X"}'
    fields = {"f:env": {item: {".": {}, "f:name": {}, "f:value": {}}}}
    assert without_leaves(fields, {"env": [{"name": "X"}]}) == {"f:env": {item: {".": {}, "f:value": {}}}}


@given(sets)
def test_without_leaves_of_nothing_changes_nothing(one: dict[str, Any]) -> None:
    before = copy.deepcopy(one)
    assert without_leaves(one, {"unknown": 1}) == one == before
