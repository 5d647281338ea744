"""What keeps a Namespace or a CRD."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Identity
from hook.pruning.contents import Contents, Item, crd_contents, namespace_contents


def item(kind: str, name: str, group: str = "", uid: str = "", owner: str = "", **more: Any) -> Item:
    metadata: dict[str, Any] = {"uid": uid or f"u-{name}", **more}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner, "controller": True}]
    return Item(Identity(group, kind, "team-a", name), metadata)


@pytest.mark.parametrize(
    "made",
    [
        item("ConfigMap", "kube-root-ca.crt"),
        item("ServiceAccount", "default"),
        item("Event", "web.17"),
        item("Event", "web.18", group="events.k8s.io"),
        item("Endpoints", "web"),
        item("EndpointSlice", "web-x", group="discovery.k8s.io"),
    ],
)
def test_what_kubernetes_makes_itself_keeps_no_namespace(made: Item) -> None:
    assert namespace_contents([made]) == Contents()


@pytest.mark.parametrize(
    "users", [item("ConfigMap", "conf"), item("ServiceAccount", "robot"), item("Secret", "kube-root-ca.crt")]
)
def test_anything_else_does(users: Item) -> None:
    assert namespace_contents([users]).blocking == (users.identity,)


def test_our_mark_alone_lets_nothing_pass_marks_are_copied() -> None:
    copied = item("ConfigMap", "copy", labels={"owner.installersets.io/shop": "sets"})
    assert namespace_contents([copied]).blocking == (copied.identity,)


def test_what_this_prune_deletes_has_to_be_gone_first_but_does_not_block() -> None:
    obsolete = item("ConfigMap", "conf")
    assert namespace_contents([obsolete], {obsolete.identity}) == Contents(going=(obsolete.identity,))


def test_children_of_what_goes_go_with_it_however_deep() -> None:
    pod = item("Pod", "web-1-a", owner="u-web-1")
    middle = item("ReplicaSet", "web-1", group="apps", owner="u-web")
    top = item("Deployment", "web", group="apps")
    contents = namespace_contents([pod, middle, top], {top.identity})
    assert contents == Contents(going=(pod.identity, top.identity, middle.identity))


def test_children_of_what_has_been_deleted_already_do_not_block() -> None:
    pod = item("Pod", "web-1-a", owner="u-deleted")
    assert namespace_contents([pod], (), {"u-deleted"}).blocking == ()


def test_children_of_somebody_elses_block_too() -> None:
    other, pod = item("ReplicaSet", "db", group="apps"), item("Pod", "db-1", owner="u-db")
    assert len(namespace_contents([other, pod]).blocking) == 2


def test_an_object_that_two_groups_serve_goes_under_both_names() -> None:
    new = item("Ingress", "front", group="networking.k8s.io", uid="u-1")
    old = item("Ingress", "front", group="extensions", uid="u-1")
    assert namespace_contents([old, new], {new.identity}).blocking == ()


def test_an_owner_that_is_no_controller_makes_no_child() -> None:
    held = item("Secret", "token", ownerReferences=[{"uid": "u-conf"}])
    obsolete = item("ConfigMap", "conf")
    assert namespace_contents([held, obsolete], {obsolete.identity}).blocking == (held.identity,)


def test_objects_without_uid_are_no_children_of_each_other() -> None:
    odd = Item(Identity("", "Secret", "team-a", "odd"), {"ownerReferences": [{"controller": True}]})
    obsolete = Item(Identity("", "ConfigMap", "team-a", "conf"), {})
    assert namespace_contents([odd, obsolete], {obsolete.identity}).blocking == (odd.identity,)


def test_any_custom_resource_keeps_its_crd() -> None:
    one = item("Gear", "one", group="example.org")
    assert crd_contents([one]).blocking == (one.identity,)


def test_a_crd_without_custom_resources_is_empty() -> None:
    assert crd_contents([]) == Contents()


def test_events_as_custom_resources_keep_their_crd() -> None:
    """A kind of Kubernetes' own name is nothing special inside of a CRD."""
    event = item("Event", "one", group="events.k8s.io")
    assert crd_contents([event]).blocking == (event.identity,)
