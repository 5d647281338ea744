"""Keys of ConfigMaps and Secrets."""

from __future__ import annotations

import base64

from hook.generations.carry_over import cannot_carry, carry_over
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, config_map, entry


def secret(data: dict[str, str]) -> Object:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}, "data": encoded}


def test_a_key_that_we_own_and_the_manifest_lacks_stays() -> None:
    carried = carry_over(config_map({"b": "2"}), applied(config_map({"a": "1", "b": "2"})), OURS)
    assert carried.obj["data"] == {"a": "1", "b": "2"}
    assert carried.what == ("key a of data",)
    assert len(carried.digest) == 12


def test_a_key_of_another_manager_is_not_made_ours() -> None:
    live = applied(config_map({"b": "2"}), OURS, entry({"f:data": {"f:a": {}}}, "injector", "Update"))
    live["data"]["a"] = "1"
    assert carry_over(config_map({"b": "2"}), live, OURS).obj["data"] == {"b": "2"}


def test_an_adopted_objects_keys_count_as_the_old_generations() -> None:
    live = applied(config_map({"a": "1"}), "kubectl-create")
    assert carry_over(config_map({"b": "2"}), live, OURS, adopted=True).obj["data"] == {"a": "1", "b": "2"}


def test_keys_of_another_component_are_never_carried_into_an_adopted_object() -> None:
    live = applied(config_map({"a": "1"}), "handoff:ops:other")
    assert carry_over(config_map({"b": "2"}), live, OURS, adopted=True).digest == ""


def test_a_manifest_without_data_keeps_the_old_keys() -> None:
    assert carry_over(config_map(), applied(config_map({"a": "1"})), OURS).obj["data"] == {"a": "1"}


def test_a_key_that_moves_to_the_other_section_is_not_carried() -> None:
    """One key in both sections is invalid."""
    desired = config_map(binaryData={"a": "MQ=="})
    carried = carry_over(desired, applied(config_map({"a": "1"})), OURS)
    assert carried.obj == desired
    assert cannot_carry(desired, applied(config_map({"a": "1"})), OURS) == ("the value of key a changes",)


def test_immutable_is_withheld_while_a_key_is_carried() -> None:
    carried = carry_over(config_map({"b": "2"}, immutable=True), applied(config_map({"a": "1", "b": "2"})), OURS)
    assert "immutable" not in carried.obj
    assert carried.what == ("key a of data", "immutable is set when the keys above are gone")


def test_immutable_is_applied_at_once_where_nothing_is_carried() -> None:
    desired = config_map({"a": "1"}, immutable=True)
    assert carry_over(desired, applied(config_map({"a": "1"})), OURS).obj == desired


def test_nothing_is_carried_into_an_object_that_is_immutable_already() -> None:
    """Its keys cannot change at all: carrying one would put the refusal off until the old pods are gone."""
    live = applied(config_map({"a": "1"}, immutable=True))
    assert carry_over(config_map({}, immutable=True), live, OURS).digest == ""


def test_old_and_new_that_are_too_large_together_are_named_instead() -> None:
    live, desired = applied(config_map({"a": "x" * 600_000})), config_map({"b": "y" * 600_000})
    assert carry_over(desired, live, OURS).obj == desired
    assert cannot_carry(desired, live, OURS) == (
        "keys go at once, since old and new together are larger than 1 MiB: a",
    )


def test_changed_values_are_named_by_key_and_never_shown() -> None:
    lines = cannot_carry(secret({"token": "new-one"}), applied(secret({"token": "old-one"})), OURS)
    assert lines == ("the value of key token changes",)


def test_a_secrets_values_do_not_enter_the_digest() -> None:
    one = carry_over(secret({}), applied(secret({"token": "one"})), OURS)
    other = carry_over(secret({}), applied(secret({"token": "other"})), OURS)
    assert one.obj["data"] != other.obj["data"]
    assert one.digest == other.digest
    assert one.what == ("key token of data",)


def test_a_config_maps_values_enter_the_digest() -> None:
    one = carry_over(config_map(), applied(config_map({"a": "1"})), OURS)
    other = carry_over(config_map(), applied(config_map({"a": "2"})), OURS)
    assert one.digest != other.digest
