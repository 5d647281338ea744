from __future__ import annotations

from typing import Any

from hook.generations.sharing import disagreements, leaving, other_managers, others_say_share, saying_share
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, config_map, deployment, entry, fields_of

THEIRS = "handoff:ops:other"


def namespace(**labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}}


def test_managers_of_the_other_components_marks() -> None:
    labels = {"owner.installersets.io/web": "ops", "owner.installersets.io/other": "ops", "team": "x"}
    assert other_managers({"labels": labels}, "web", "ops") == (THEIRS,)


def test_a_field_that_another_holds_with_another_value_is_named_and_left() -> None:
    live = applied(namespace(team="theirs", tier="one"), THEIRS)
    desired = namespace(team="ours", tier="one", mine="yes")
    assert disagreements(desired, live, [THEIRS]) == ("metadata.labels.team",)
    assert leaving(desired, live, [THEIRS]) == namespace(tier="one", mine="yes")


def test_a_field_of_a_manager_that_is_no_component_does_not_count() -> None:
    live = applied(namespace(team="theirs"), "kubectl")
    assert disagreements(namespace(team="ours"), live, [THEIRS]) == ()


def test_items_of_merged_lists_are_compared_by_key() -> None:
    live = applied(deployment("shop:1"), THEIRS)
    containers = live["spec"]["template"]["spec"]["containers"]
    containers.insert(0, {"name": "sidecar", "image": "mesh:1"})
    desired = deployment("shop:2")
    assert disagreements(desired, live, [THEIRS]) == ("spec.template.spec.containers[shop].image",)
    left = leaving(desired, live, [THEIRS])
    assert "image" not in left["spec"]["template"]["spec"]["containers"][0]
    assert desired == deployment("shop:2")


def test_what_was_not_read_is_not_compared() -> None:
    live = {"metadata": applied(deployment("shop:1"), THEIRS)["metadata"]}
    assert disagreements(deployment("shop:2"), live, [THEIRS]) == ()


def test_the_setting_becomes_an_annotation_that_the_others_can_see() -> None:
    desired = config_map({"a": "1"})
    assert saying_share(desired, ["ConfigMap/conf"])["metadata"]["annotations"] == {"installersets.io/share": "allowed"}
    assert saying_share(desired, ["ConfigMap/other"]) == desired


def metadata(*managers: str) -> dict[str, Any]:
    obj = saying_share(config_map(), ["ConfigMap/conf"])
    entries = [entry(fields_of(obj), manager) for manager in managers]
    return {**obj["metadata"], "managedFields": entries}


def test_another_component_says_share_by_having_applied_the_annotation() -> None:
    assert others_say_share(metadata(THEIRS), [THEIRS])
    assert not others_say_share(metadata(OURS), [THEIRS])
    assert not others_say_share({}, [THEIRS])
