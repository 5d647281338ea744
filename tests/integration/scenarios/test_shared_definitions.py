"""CRDs that several components bring: they go forward, whoever moves them, and never back under somebody's feet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Request
from tests.integration.scenarios.components import Component, live, present
from tests.integration.scenarios.objects import custom, definition
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


@pytest.fixture
def pair(make_component: Callable[..., Component]) -> tuple[Component, Component]:
    return make_component("one"), make_component("two")


@pytest.fixture
def gears(group: str, shared_cluster: Cluster) -> Callable[..., Object]:
    """Makes the definition with these versions, the first of which is stored."""
    return lambda *versions: definition(group, "Gear", *versions)


def served(cluster: Cluster, obj: Object) -> set[str]:
    return {version["name"] for version in present(cluster, obj)["spec"]["versions"] if version["served"]}


def writes_to_definitions(component: Component) -> list[Request]:
    """A new generation of the live definition is noted in the sets; the definition itself is left alone."""
    return [request for request in component.proxy.writes if request.plural == "customresourcedefinitions"]


def described(obj: Object, text: str) -> Object:
    """The same versions under another schema."""
    obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = text
    return obj


def description(cluster: Cluster, obj: Object) -> str:
    return str(present(cluster, obj)["spec"]["versions"][0]["schema"]["openAPIV3Schema"].get("description"))


def test_either_component_may_move_a_shared_definition_forward_and_neither_moves_it_back(
    pair: tuple[Component, Component], shared_cluster: Cluster, gears: Callable[..., Object]
) -> None:
    one, two = pair
    one.run(gears("v1"))
    assert "shared with the component" in str(two.run(gears("v1", "v2")).report["shared"])
    assert served(shared_cluster, gears()) == {"v1", "v2"}
    one.proxy.forget()
    result = one.run(gears("v1"))
    assert "kept newer" in str(result.report["kept"])
    assert writes_to_definitions(one) == []
    one.run(gears("v1", "v2", "v3"))
    two.proxy.forget()
    two.run(gears("v1", "v2"))
    assert writes_to_definitions(two) == []
    assert served(shared_cluster, gears()) == {"v1", "v2", "v3"}
    one.remove()
    two.run(gears("v1", "v2"))
    labels = present(shared_cluster, gears())["metadata"]["labels"]
    assert one.mark not in labels
    assert two.mark in labels


def test_a_git_revert_keeps_the_newer_definition_and_takes_back_the_rest(
    shop: Component, shared_cluster: Cluster, namespace: str, group: str, gears: Callable[..., Object]
) -> None:
    old, new = custom(group, "Gear", namespace, "one"), custom(group, "Gear", namespace, "one", "v2")
    shop.run(gears("v1"), old)
    shop.run(gears("v1", "v2"), new, custom(group, "Gear", namespace, "two", "v2"))
    result = shop.run(gears("v1"), old)
    assert "kept newer" in str(result.report["kept"])
    assert served(shared_cluster, gears()) == {"v1", "v2"}
    assert live(shared_cluster, custom(group, "Gear", namespace, "two")) is None
    assert shop.listed == {f"CustomResourceDefinition gears.{group}", "Gear one"}


def test_a_definition_that_cannot_serve_what_is_wanted_is_refused_before_any_write(
    shop: Component, shared_cluster: Cluster, in_cluster: Callable[..., None], gears: Callable[..., Object]
) -> None:
    in_cluster(gears("v2", "v1!"))
    result = shop.run(gears("v1"), code=3)
    assert "v2" in result.report["message"]
    assert shop.proxy.writes == []


def test_a_kept_newer_definition_must_answer_a_list(
    shop: Component,
    shared_cluster: Cluster,
    namespace: str,
    group: str,
    in_cluster: Callable[..., None],
    gears: Callable[..., Object],
) -> None:
    """A conversion webhook that does not answer fails every request at the version that is not stored."""
    broken = gears("v2", "v1")
    hook = {"service": {"namespace": namespace, "name": "nowhere", "path": "/convert"}}
    broken["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": hook},
    }
    in_cluster(gears("v2", "v1"))
    shared_cluster.load([custom(group, "Gear", namespace, "one", "v2")])
    in_cluster(broken)
    result = shop.run(gears("v1"), code=3)
    assert "version v1 cannot be listed" in result.report["message"]
    assert shop.proxy.writes == []
    in_cluster(gears("v2", "v1"))
    shared_cluster.kubectl("patch", "crd", f"gears.{group}", "--type=merge", "-p", '{"spec": {"conversion": null}}')
    assert "kept newer" in str(shop.run(gears("v1")).report["kept"])


def test_of_two_schemas_under_the_same_versions_the_first_stays_until_its_owner_gives_it_up(
    pair: tuple[Component, Component], shared_cluster: Cluster, gears: Callable[..., Object]
) -> None:
    one, two = pair
    one.run(described(gears("v1"), "by one"))
    for _ in range(2):
        assert "kept, differs" in str(two.run(described(gears("v1"), "by two")).report["kept"])
        one.run(described(gears("v1"), "by one"))
    assert description(shared_cluster, gears()) == "by one"
    one.proxy.forget()
    two.proxy.forget()
    one.run(described(gears("v1"), "by one"))
    two.run(described(gears("v1"), "by two"))
    assert one.proxy.writes == two.proxy.writes == []
    one.remove()
    assert description(shared_cluster, gears()) == "by one"
    two.run(described(gears("v1"), "by two"))
    assert description(shared_cluster, gears()) == "by two"
    two.remove("--prune-kind=CustomResourceDefinition")
    assert live(shared_cluster, gears()) is None
