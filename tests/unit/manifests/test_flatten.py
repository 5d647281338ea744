"""Lists are unpacked, each item with its own line; a list of anything but objects is refused."""

from __future__ import annotations

import json

import pytest

from tests.unit.manifests.inputs import config_map, loaded, refusal


def names(text: str) -> list[str]:
    return [str(item.identity) for item in loaded(text).items]


def test_a_list_gives_its_items_with_their_lines() -> None:
    text = """\
    apiVersion: v1
    kind: List
    items:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: a}

    - {apiVersion: v1, kind: Secret, metadata: {name: b}}
    """
    assert [(str(i.identity), i.origin.line) for i in loaded(text).items] == [("ConfigMap a", 4), ("Secret b", 8)]


def test_a_typed_list_lends_its_items_version_and_kind() -> None:
    text = """\
    apiVersion: rbac.authorization.k8s.io/v1
    kind: RoleList
    metadata: {resourceVersion: "7"}
    items:
    - metadata: {name: a, namespace: shop}
    - {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: b}}
    """
    assert names(text) == ["Role.rbac.authorization.k8s.io b", "Role.rbac.authorization.k8s.io shop/a"]


def test_lists_in_lists_are_unpacked() -> None:
    inner = {"apiVersion": "v1", "kind": "ConfigMapList", "items": [{"metadata": {"name": "a"}}]}
    assert names(json.dumps({"apiVersion": "v1", "kind": "List", "items": [inner, config_map("b")]})) == [
        "ConfigMap a",
        "ConfigMap b",
    ]


@pytest.mark.parametrize("items", ["", "items: null", "items: []"])
def test_an_empty_list_is_no_object(items: str) -> None:
    assert loaded(f"apiVersion: v1\nkind: List\n{items}\n").items == ()


@pytest.mark.parametrize("items", ["[1]", "[text]", "[[]]", "[null]", "{a: b}", "text"])
@pytest.mark.parametrize("kind", ["List", "RoleList"])
def test_a_list_of_what_is_no_object_is_refused(kind: str, items: str) -> None:
    assert refusal(f"apiVersion: v1\nkind: {kind}\nitems: {items}\n").startswith(f"deploy.yaml:1: {kind}: items")


def test_faults_of_items_name_the_line_of_the_item() -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {kind: X}\n"
    assert refusal(text).startswith("deploy.yaml:5: X: apiVersion: is missing")


def test_a_custom_resource_that_is_called_list_stays_one() -> None:
    for own in ({"spec": {"items": [1]}}, {"items": ["10.0.0.0/8"]}):
        obj = {"apiVersion": "net.example.org/v1", "kind": "AllowList", "metadata": {"name": "a"}} | own
        assert names(json.dumps(obj)) == ["AllowList.net.example.org a"]
