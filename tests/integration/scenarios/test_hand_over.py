"""Resources that pass from one component to another, in either order of their runs and at the same moment (B09)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.components import (
    Component,
    applies,
    deletes,
    live,
    patches,
    present,
)
from tests.integration.scenarios.objects import config_map, service
from tests.live_objects import Object

pytestmark = pytest.mark.cluster


@pytest.fixture
def pair(make_component: Callable[..., Component]) -> tuple[Component, Component]:
    """Two components that both say `share` for the Service and the ConfigMap named db."""
    share = {"HANDOFF_SHARE": "Service/db,ConfigMap/db"}
    return make_component("one", **share), make_component("two", **share)


def managers(obj: Object) -> set[str]:
    return {entry["manager"] for entry in obj["metadata"]["managedFields"]}


def test_b09_what_another_component_shares_is_handed_over(
    pair: tuple[Component, Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = pair
    db = service(namespace, "db")
    one.run(db)
    uid = present(shared_cluster, db)["metadata"]["uid"]
    assert "Service" in str(two.run(db).report["shared"])
    one.proxy.forget()
    result = one.run()
    assert one.deletions == []
    after = present(shared_cluster, db)
    assert after["metadata"]["uid"] == uid
    assert one.mark not in after["metadata"]["labels"]
    assert two.mark in after["metadata"]["labels"]
    assert f"applied.installersets.io/{one.name}" not in after["metadata"]["annotations"]
    assert one.manager not in managers(after)
    assert after["spec"]["ports"][0]["port"] == 80
    assert result.report["handedOver"] == [{"object": f"Service {namespace}/db", "why": f"handed over to {two.name}"}]
    assert one.listed == set()
    two.run()
    assert live(shared_cluster, db) is None


def test_b09_who_does_not_say_share_is_refused_before_any_write(
    make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = make_component("one"), make_component("two", HANDOFF_SHARE="Service/db")
    db = service(namespace, "db")
    one.run(db)
    before = present(shared_cluster, db)["metadata"]["resourceVersion"]
    result = two.run(db, config_map(namespace, "other"), code=3)
    assert one.name in result.report["message"]
    assert "share" in result.report["message"]
    assert two.proxy.writes == []
    assert present(shared_cluster, db)["metadata"]["resourceVersion"] == before


def test_b09_a_shared_resource_whose_fields_differ_is_refused_before_any_write(
    pair: tuple[Component, Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = pair
    one.run(config_map(namespace, "db", {"port": "1"}))
    result = two.run(config_map(namespace, "db", {"port": "2"}), code=3)
    assert "data.port" in result.report["message"]
    assert two.proxy.writes == []


def test_b09_an_adoption_between_our_read_and_our_delete_wins(
    pair: tuple[Component, Component], shared_cluster: Cluster, namespace: str
) -> None:
    one, two = pair
    db = service(namespace, "db")
    one.run(db)
    uid = present(shared_cluster, db)["metadata"]["uid"]
    one.proxy.forget()
    hold = one.proxy.hold(deletes("services", "db"))
    with one.running() as process:
        process.until(lambda: hold.reached, "the DELETE")
        two.run(db)
        hold.release()
        result = process.wait()
    assert result.exit_code == 0, result
    assert [r.status for r in one.proxy.requests if deletes("services", "db")(r.request)] == [409]
    after = present(shared_cluster, db)
    assert after["metadata"]["uid"] == uid
    assert one.mark not in after["metadata"]["labels"]
    assert two.mark in after["metadata"]["labels"]
    assert result.objects("handedOver") == [f"Service {namespace}/db"]


def test_an_adoption_while_we_give_up_keeps_what_the_other_component_wrote(
    pair: tuple[Component, Component], make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    """The give-up is conditional too: a third component comes in between its read and its patch."""
    one, two = pair
    three = make_component("three", HANDOFF_SHARE="Service/db")
    db = service(namespace, "db")
    one.run(db)
    two.run(db)
    one.proxy.forget()
    hold = one.proxy.hold(patches("services", "db"))
    with one.running() as process:
        process.until(lambda: hold.reached, "the give-up")
        three.run(db)
        hold.release()
        result = process.wait()
    assert result.exit_code == 0, result
    assert [r.status for r in one.proxy.requests if patches("services", "db")(r.request)] == [409, 200]
    after = present(shared_cluster, db)
    assert {two.mark, three.mark} <= after["metadata"]["labels"].keys()
    assert one.mark not in after["metadata"]["labels"]
    assert {two.manager, three.manager} <= managers(after)
    assert one.manager not in managers(after)


def test_a_deletion_between_the_other_components_read_and_its_apply_ends_with_its_object(
    pair: tuple[Component, Component], shared_cluster: Cluster, namespace: str
) -> None:
    """The other order: the first lets go and deletes before the second's mark is there, so the second creates anew."""
    one, two = pair
    db = service(namespace, "db")
    one.run(db)
    uid = present(shared_cluster, db)["metadata"]["uid"]
    hold = two.proxy.hold(applies("services", "db"))
    with two.running(db) as process:
        process.until(lambda: hold.reached, "the apply")
        one.run()
        assert live(shared_cluster, db) is None
        hold.release()
        result = process.wait()
    assert result.exit_code == 0, result
    after = present(shared_cluster, db)
    assert after["metadata"]["uid"] != uid
    assert two.mark in after["metadata"]["labels"]
    assert one.mark not in after["metadata"]["labels"]


def test_components_that_never_share_are_told_the_way_out(
    make_component: Callable[..., Component], namespace: str
) -> None:
    """Atomic lists with defaults: each apply would take them from the other for ever."""
    share = {"HANDOFF_SHARE": "NetworkPolicy/all"}
    one, two = make_component("one", **share), make_component("two", **share)
    policy: Object = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "all", "namespace": namespace},
        "spec": {"podSelector": {}, "ingress": [{}]},
    }
    one.run(policy)
    assert "cannot be shared" in two.run(policy, code=3).report["message"]
    assert two.proxy.writes == []


def test_the_same_component_in_another_namespace_is_another_owner(
    make_component: Callable[..., Component], shared_cluster: Cluster, namespace: str
) -> None:
    one = make_component("one")
    two = Component(shared_cluster, one.name, "default", one.directory, one.proxy, {"HANDOFF_ADOPT": "true"})
    one.run(config_map(namespace, "a"))
    one.proxy.forget()
    result = two.run(config_map(namespace, "a"), code=3)
    assert f"in namespace {namespace}" in result.report["message"]
    assert one.proxy.writes == []
    assert shared_cluster.api.request(
        "DELETE", f"/apis/coordination.k8s.io/v1/namespaces/default/leases/handoff-{one.name}"
    )
