from __future__ import annotations

import copy
from typing import Any

import pytest

from hook.generations.crd_moves import CrdVerdict, Move, compare
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied

THEIRS = "handoff:ops:other"
SCHEMA = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}


def version(name: str, *, served: bool = True, storage: bool = False, **more: Any) -> dict[str, Any]:
    return {"name": name, "served": served, "storage": storage, "schema": SCHEMA, **more}


def definition(*versions: str | dict[str, Any], **spec: Any) -> Object:
    """Versions by name; the last one is the storage version."""
    made = [version(one, storage=one is versions[-1]) if isinstance(one, str) else one for one in versions]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Gear", "plural": "gears"},
            "scope": "Namespaced",
            "versions": made,
            **spec,
        },
    }


def live(obj: Object, *stored: str, manager: str = OURS) -> Object:
    """As the API server shows it: with its defaults, and the versions that objects were stored in."""
    found = applied(obj, manager)
    found["spec"] = {"conversion": {"strategy": "None"}, **found["spec"]}
    found["spec"]["names"] = {"listKind": "GearList", "singular": "gear", **found["spec"]["names"]}
    storage = next(one["name"] for one in found["spec"]["versions"] if one["storage"])
    found["status"] = {"storedVersions": list(stored) or [storage]}
    return found


def move(desired: Object, present: Object, *others: str) -> CrdVerdict:
    return compare(desired, present, OURS, others)


def with_field(obj: Object, name: str) -> Object:
    changed = copy.deepcopy(obj)
    changed["spec"]["versions"][-1]["schema"]["openAPIV3Schema"]["properties"][name] = {"type": "string"}
    return changed


def test_the_same_definition_but_for_defaults() -> None:
    desired = definition("v1")
    desired["spec"]["versions"][0]["additionalPrinterColumns"] = []
    assert move(desired, live(definition("v1"))) == CrdVerdict(Move.SAME)


def test_a_version_more_is_forward_also_where_others_share() -> None:
    found = move(definition("v1", "v2"), live(definition("v1"), manager=THEIRS), THEIRS)
    assert found.move is Move.FORWARD
    assert found.announce == ("the storage version changes from v1 to v2",)


def test_another_schema_is_forward_where_nobody_shares() -> None:
    assert move(with_field(definition("v1"), "new"), live(definition("v1"))).move is Move.FORWARD


def test_another_schema_is_the_business_of_the_component_that_owns_the_versions() -> None:
    present = live(definition("v1"), manager=THEIRS)
    assert move(with_field(definition("v1"), "new"), present, THEIRS).move is Move.KEEP_DIFFERS
    assert compare(with_field(definition("v1"), "new"), present, THEIRS, [OURS]).move is Move.FORWARD


def test_another_schema_is_forward_once_the_owner_of_the_versions_gave_up() -> None:
    present = live(definition("v1"), manager="kubectl")
    assert move(with_field(definition("v1"), "new"), present, THEIRS).move is Move.FORWARD


def test_a_default_that_goes_is_another_schema() -> None:
    before = with_field(definition("v1"), "new")
    before["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["new"] = {
        "type": "boolean",
        "default": False,
    }
    after = copy.deepcopy(before)
    del after["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["new"]["default"]
    assert move(after, live(before)).move is Move.FORWARD


def test_without_the_version_that_objects_are_stored_in_it_is_backward() -> None:
    """A Git revert: the live one stays if it can serve what the old manifest wants."""
    found = move(definition("v1"), live(definition("v1", "v2"), "v1", "v2"))
    assert (found.move, found.must_list) == (Move.BACKWARD, ("v1",))
    assert "v2" in found.why


def test_an_old_version_that_is_stored_cannot_be_dropped() -> None:
    found = move(definition("v1"), live(definition("v1alpha1", "v1"), "v1alpha1", "v1"))
    assert (found.move, found.must_list) == (Move.BACKWARD, ("v1",))


def test_an_old_version_that_nothing_is_stored_in_is_retired() -> None:
    found = move(definition("v1"), live(definition("v1alpha1", "v1"), "v1"))
    assert (found.move, found.announce) == (Move.FORWARD, ("drops version v1alpha1",))


def test_an_old_version_is_not_taken_from_those_who_share_the_definition() -> None:
    found = move(definition("v1"), live(definition("v1alpha1", "v1"), "v1"), THEIRS)
    assert (found.move, found.must_list) == (Move.BACKWARD, ("v1",))


def test_a_newer_version_that_nothing_is_stored_in_is_not_dropped() -> None:
    present = live(definition(version("v2"), version("v1", storage=True)))
    assert move(definition("v1"), present).move is Move.BACKWARD


def test_a_version_that_stops_being_served_counts_as_dropped_from_service() -> None:
    desired = definition(version("v1alpha1", served=False), version("v1", storage=True))
    present = live(definition(version("v1alpha1"), version("v1", storage=True)))
    assert move(desired, present).move is Move.FORWARD
    assert move(desired, present, THEIRS).move is Move.BACKWARD


def test_what_neither_can_serve_is_refused() -> None:
    found = move(definition("v3"), live(definition("v1", "v2"), "v2"))
    assert found.move is Move.REFUSED
    assert "does not serve v3" in found.why


@pytest.mark.parametrize(
    "spec", [{"scope": "Cluster"}, {"names": {"kind": "Cog", "plural": "gears"}}, {"group": "example.com"}]
)
def test_what_would_take_a_new_definition_is_refused(spec: dict[str, Any]) -> None:
    """Recreating it would delete every custom resource."""
    assert move(definition("v1", **spec), live(definition("v1"))).move is Move.REFUSED


def test_a_conversion_that_changes_is_announced() -> None:
    webhook = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"name": "a", "namespace": "b"}}}}
    found = move(definition("v1", conversion=webhook), live(definition("v1")))
    assert (found.move, found.announce) == (Move.FORWARD, ("the conversion changes from None to Webhook",))


def test_a_ca_bundle_that_somebody_injects_is_no_difference() -> None:
    config = {"service": {"name": "a", "namespace": "b"}}
    webhook = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": config}}
    present = live(definition("v1", conversion=copy.deepcopy(webhook)), "v1")
    present["spec"]["conversion"]["webhook"]["clientConfig"] |= {"caBundle": "eA=="}
    present["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"] = 443
    assert move(definition("v1", conversion=webhook), present).move is Move.SAME


@pytest.mark.parametrize(
    ("dropped", "kept", "retired"),
    [
        ("v1beta1", "v1", True),
        ("v1alpha1", "v1beta1", True),
        ("v1beta2", "v1beta1", False),
        ("v2", "v1", False),
        ("v2alpha1", "v1", True),
        ("v9", "v10", True),
        ("banana", "v1alpha1", True),
    ],
)
def test_versions_are_ordered_as_kubernetes_orders_them(dropped: str, kept: str, retired: bool) -> None:
    present = live(definition(version(dropped), version(kept, storage=True)))
    assert (move(definition(kept), present).move is Move.FORWARD) is retired
