"""Unchanged means no write: what that is judged from, and what breaks it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from hook.generations.body import body_of, carries_along, is_unchanged
from hook.generations.marks import applied_annotation, field_manager
from hook.manifests.digest import digest_object

_MANAGER = field_manager("shop", "web")


def _manifest(kind: str = "ConfigMap") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "conf", "namespace": "shop", "labels": {"app": "web"}},
        "data": {"a": "MQ==", "b": "Mg=="},
    }


def _live(manifest: dict[str, Any], carried: str = "") -> dict[str, Any]:
    """What a LIST of metadata gives after our apply."""
    body = body_of(manifest, "web", "shop", manifest, carried)
    fields = {
        "f:data": {f"f:{key}": {} for key in body["data"]},
        "f:metadata": {
            "f:labels": {f"f:{key}": {} for key in body["metadata"]["labels"]},
            "f:annotations": {f"f:{key}": {} for key in body["metadata"].get("annotations", {})},
        },
    }
    entry = {
        "manager": _MANAGER,
        "operation": "Apply",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {"metadata": {**body["metadata"], "managedFields": [entry]}}


def _unchanged(manifest: dict[str, Any], live: dict[str, Any], *, exact: bool = False) -> bool:
    return is_unchanged(manifest, live, "web", "shop", manifest, exact=exact)


def test_what_we_applied_is_unchanged() -> None:
    assert _unchanged(_manifest(), _live(_manifest()), exact=True)


def test_another_value_is_a_change() -> None:
    changed = _manifest()
    changed["data"]["a"] = "Mw=="
    assert not _unchanged(changed, _live(_manifest()))


def test_a_field_that_somebody_took_is_a_change() -> None:
    live = _live(_manifest())
    del live["metadata"]["managedFields"][0]["fieldsV1"]["f:data"]["f:b"]
    assert not _unchanged(_manifest(), live)


def test_a_terminating_object_is_a_change() -> None:
    live = _live(_manifest())
    live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert not _unchanged(_manifest(), live)


def test_an_entry_at_another_version_is_a_change() -> None:
    live = _live(_manifest())
    live["metadata"]["managedFields"][0]["apiVersion"] = "v1beta1"
    assert not _unchanged(_manifest(), live)


def test_without_our_entry_it_is_a_change() -> None:
    live = _live(_manifest())
    live["metadata"]["managedFields"] = []
    assert not _unchanged(_manifest(), live)


def test_what_is_carried_along_matters_only_to_the_exact_apply() -> None:
    live = _live(_manifest(), carried="0123456789ab")
    assert _unchanged(_manifest(), live)
    assert not _unchanged(_manifest(), live, exact=True)


def test_immutable_is_not_missed_while_it_is_withheld() -> None:
    manifest = {**_manifest(), "immutable": True}
    live = _live(manifest, carried="0123456789ab")
    assert _unchanged(manifest, live)


def test_somebody_elses_labels_and_status_are_no_change() -> None:
    live = _live(_manifest())
    live["metadata"]["labels"]["other"] = "x"
    live["metadata"]["resourceVersion"] = "999"
    assert _unchanged(_manifest(), live, exact=True)


def test_a_secret_is_always_sent_and_carries_no_digest_of_its_values() -> None:
    manifest = _manifest("Secret")
    body = body_of(manifest, "web", "shop", manifest)
    assert applied_annotation("web") not in body["metadata"].get("annotations", {})
    assert digest_object(manifest) not in str(body)
    assert not _unchanged(manifest, _live(manifest))


def test_what_is_carried_along_shows_in_the_digest_or_in_the_owned_keys_of_a_secret() -> None:
    for kind in ("ConfigMap", "Secret"):
        fewer = _manifest(kind)
        del fewer["data"]["b"]
        assert not carries_along(_manifest(kind), _live(_manifest(kind)), "web", "shop")
        assert carries_along(fewer, _live(_manifest(kind), carried="0123456789ab"), "web", "shop")


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_the_manifest_itself_is_not_touched(kind: str) -> None:
    manifest = _manifest(kind)
    before = copy.deepcopy(manifest)
    body_of(manifest, "web", "shop", manifest)
    assert manifest == before
