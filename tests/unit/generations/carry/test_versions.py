"""Served versions of CustomResourceDefinitions."""

from __future__ import annotations

from typing import Any

from hook.generations.carry_over import carry_over
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied


def version(name: str, *, served: bool = True, storage: bool = False) -> dict[str, Any]:
    return {"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": {"type": "object"}}}


def definition(*versions: dict[str, Any]) -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.example.org"},
        "spec": {"group": "example.org", "versions": list(versions)},
    }


def test_a_version_that_is_dropped_is_served_on_and_never_stored_in() -> None:
    live = applied(definition(version("v1alpha1", storage=True), version("v1")))
    carried = carry_over(definition(version("v1", storage=True)), live, OURS)
    assert carried.obj["spec"]["versions"] == [version("v1", storage=True), version("v1alpha1")]
    assert carried.what == ("version v1alpha1 is served on",)


def test_a_version_that_stops_being_served_is_served_on() -> None:
    live = applied(definition(version("v1alpha1"), version("v1", storage=True)))
    carried = carry_over(definition(version("v1alpha1", served=False), version("v1", storage=True)), live, OURS)
    assert carried.obj["spec"]["versions"][0] == version("v1alpha1")


def test_a_version_that_was_not_served_is_not_carried() -> None:
    live = applied(definition(version("v1alpha1", served=False), version("v1", storage=True)))
    assert carry_over(definition(version("v1", storage=True)), live, OURS).digest == ""
