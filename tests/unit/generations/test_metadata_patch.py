"""Patches of metadata: what they leave, judged by an independent implementation of RFC 6902."""

from __future__ import annotations

from typing import Any

import jsonpatch
import pytest

from hook.generations.metadata_patch import metadata_patch

_KEY = "owner.installersets.io/web"


def _live(**metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "conf", "resourceVersion": "7", "managedFields": [{"manager": "kubectl"}], **metadata}}


def _patched(live: dict[str, Any], **changes: Any) -> dict[str, Any]:
    result: dict[str, Any] = jsonpatch.apply_patch(live, metadata_patch(live, **changes))["metadata"]
    return result


@pytest.mark.parametrize("labels", [{}, {"labels": None}, {"labels": {}}, {"labels": {"app": "x"}}])
def test_a_label_is_set_beside_those_that_are_there(labels: dict[str, Any]) -> None:
    before = labels.get("labels") or {}
    assert _patched(_live(**labels), labels={_KEY: "shop"})["labels"] == {**before, _KEY: "shop"}


def test_a_label_is_removed_and_the_others_stay() -> None:
    assert _patched(_live(labels={"app": "x", _KEY: "shop"}), labels={_KEY: None})["labels"] == {"app": "x"}


def test_what_is_not_there_need_not_be_removed() -> None:
    patch = metadata_patch(_live(), annotations={"a/b~c": None})
    assert [operation["path"] for operation in patch] == ["/metadata/resourceVersion"]


def test_managed_fields_are_replaced_as_a_whole() -> None:
    assert _patched(_live(), managed_fields=[{"manager": "ours"}])["managedFields"] == [{"manager": "ours"}]
    assert _patched(_live())["managedFields"] == [{"manager": "kubectl"}]


def test_every_patch_holds_only_for_the_version_that_was_read() -> None:
    first, *_ = metadata_patch(_live(), labels={_KEY: "shop"})
    assert first == {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"}


def test_owner_references_are_replaced_as_a_whole_and_may_all_go() -> None:
    live = {"metadata": {"resourceVersion": "7", "ownerReferences": [{"uid": "u-1"}]}}
    for wanted in ([{"uid": "u-2"}], []):
        _, replaced = metadata_patch(live, owner_references=wanted)
        assert replaced == {"op": "add", "path": "/metadata/ownerReferences", "value": wanted}
