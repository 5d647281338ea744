"""Loading sorts manifests by identity; placing fills in namespaces where the kind has them."""

from __future__ import annotations

import json

from hook.manifests.identity import Identity, Kind
from hook.manifests.load import load, place
from hook.manifests.scope import builtin_scope
from tests.unit.manifests.inputs import config_map, loaded

ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
GEAR = {"apiVersion": "example.org/v1beta1", "kind": "Gear", "metadata": {"name": "g"}}


def stream(*objs: object) -> str:
    return "".join(json.dumps(obj) for obj in objs)


def test_no_documents_are_no_manifests() -> None:
    assert load([]).items == ()


def test_manifests_are_sorted_and_know_their_version_and_origin() -> None:
    manifests = loaded("\n" + stream(config_map("b"), GEAR, config_map("a"))).items
    assert [str(m.identity) for m in manifests] == ["ConfigMap a", "ConfigMap b", "Gear.example.org g"]
    assert manifests[2].version == "v1beta1"
    assert str(manifests[2].origin) == "deploy.yaml:2"


def test_namespaced_kinds_without_a_namespace_go_to_the_target() -> None:
    manifests = loaded(stream(config_map(), config_map(namespace="bank")))
    placed = place(manifests.items, "shop", builtin_scope)
    assert [m.identity.namespace for m in placed] == ["bank", "shop"]
    assert placed[1].obj["metadata"] == {"name": "front", "namespace": "shop"}


def test_cluster_scoped_kinds_lose_a_namespace() -> None:
    manifests = loaded(stream(ROLE | {"metadata": {"name": "r", "namespace": "shop"}}))
    (placed,) = place(manifests.items, "shop", builtin_scope)
    assert placed.identity == Identity("rbac.authorization.k8s.io", "ClusterRole", "", "r")
    assert placed.obj["metadata"] == {"name": "r"}


def test_kinds_of_unknown_scope_stay_as_they_are() -> None:
    manifests = loaded(stream(GEAR, GEAR | {"metadata": {"name": "g", "namespace": "bank"}}))
    placed = place(manifests.items, "shop", builtin_scope)
    assert [m.identity.namespace for m in placed] == ["", "bank"]
    again = place(placed, "shop", lambda kind: kind == Kind("example.org", "Gear"))
    assert [m.identity.namespace for m in again] == ["bank", "shop"]


def test_placing_changes_no_manifest_that_was_loaded() -> None:
    manifests = loaded(stream(config_map()))
    place(manifests.items, "shop", builtin_scope)
    assert manifests.items[0].obj == config_map()


def test_placing_twice_changes_nothing() -> None:
    placed = place(loaded(stream(config_map(), ROLE)).items, "shop", builtin_scope)
    assert place(placed, "shop", builtin_scope) == placed
