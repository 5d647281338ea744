from __future__ import annotations

from typing import Any

from hook.generations.ownership import Claim, judge
from hook.generations.predecessors import Predecessors
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import config_map, entry

STAMP = "operator.example.org/hash"
KNOWN = Predecessors(frozenset({"u-old"}), frozenset({STAMP}))


def controlled(uid: str, **metadata: Any) -> Object:
    return {"ownerReferences": [{"kind": "Set", "name": "old", "uid": uid, "controller": True}], **metadata}


def test_what_a_predecessor_controls_is_kept_by_it() -> None:
    assert KNOWN.keep(controlled("u-old"))


def test_what_another_controls_is_not_whatever_stamp_it_has() -> None:
    assert not KNOWN.keep(controlled("u-other", annotations={STAMP: "x"}))


def test_an_owner_that_is_no_controller_says_nothing() -> None:
    assert not KNOWN.keep({"ownerReferences": [{"kind": "Set", "name": "old", "uid": "u-old"}]})


def test_without_a_controller_the_stamp_tells() -> None:
    assert KNOWN.keep({"annotations": {STAMP: "x"}})
    assert not KNOWN.keep({"annotations": {"other": "x"}})


def test_its_managers_are_those_that_wrote_its_reference_or_stamp() -> None:
    reference = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"u-old"}': {}}}}
    stamp = {"f:metadata": {"f:annotations": {f"f:{STAMP}": {}}}}
    other = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"u-other"}': {}}}, "f:data": {}}
    entries = [entry(reference, "one", "Update"), entry(stamp, "two", "Update"), entry(other, "three", "Update")]
    assert KNOWN.managers({"managedFields": entries}) == {"one", "two"}


def test_what_it_keeps_is_adopted_without_a_further_word_and_its_fields_with_it() -> None:
    live = config_map({"a": "1"})
    live["metadata"] |= controlled("u-old")
    live["metadata"]["managedFields"] = [
        entry({"f:metadata": {"f:ownerReferences": {'k:{"uid":"u-old"}': {}}}}, "its-manager", "Update")
    ]

    found = judge(config_map({"a": "1"}), live, "web", "ops", predecessors=KNOWN)

    assert found.claim is Claim.ADOPT
    assert found.takes(entry({}, "its-manager", "Update"))
    assert not found.takes(entry({}, "somebody", "Update"))


def test_what_another_controls_is_refused_as_ever() -> None:
    live = config_map({"a": "1"})
    live["metadata"] |= controlled("u-other")
    assert judge(config_map({"a": "1"}), live, "web", "ops", predecessors=KNOWN).claim is Claim.REFUSED
