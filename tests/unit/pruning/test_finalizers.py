"""Explanations of deletions that do not end."""

from __future__ import annotations

from datetime import UTC, datetime

from hook.manifests.identity import Identity
from hook.pruning.contents import Item
from hook.pruning.finalizers import explain
from tests.unit.pruning.world import CRD, NS, PVC

SINCE = "2026-01-01T00:00:00Z"
LATER = datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC)


def test_a_strange_finalizer_is_named_with_how_long_it_holds_and_what_to_do() -> None:
    gear = Identity("example.org", "Gear", "a", "one")
    live = {"metadata": {"deletionTimestamp": SINCE, "finalizers": ["example.org/ctl"]}}
    lines = explain(gear, live, now=LATER)
    assert lines[0] == f"{gear}: being deleted for 90 s, held by the finalizer example.org/ctl"
    assert "only if that controller is gone for good" in lines[-1]


def test_a_known_finalizer_says_what_it_waits_for() -> None:
    live = {"metadata": {"deletionTimestamp": SINCE, "finalizers": ["kubernetes.io/pvc-protection"]}}
    lines = explain(PVC, live)
    assert lines[0] == (
        f"{PVC}: being deleted since {SINCE}, held by the finalizer kubernetes.io/pvc-protection "
        "(a pod still mounts it)"
    )
    assert "by hand" not in lines[-1]


def test_a_crd_names_the_custom_resource_that_holds_it_before_those_merely_left() -> None:
    held = Item(Identity("example.org", "Gear", "b", "two"), {"finalizers": ["example.org/ctl"]})
    left = Item(Identity("example.org", "Gear", "a", "one"), {})
    live = {"metadata": {"finalizers": ["customresourcecleanup.apiextensions.k8s.io"]}}
    lines = explain(CRD, live, children=[left, held])
    assert lines[1] == "in it: Gear.example.org b/two, held by the finalizer example.org/ctl"
    assert lines[2] == "in it: Gear.example.org a/one"


def test_of_many_children_five_are_named_and_the_others_counted() -> None:
    children = [Item(Identity("", "Secret", "team-a", f"s{number}"), {}) for number in range(8)]
    assert "in it: 3 more" in explain(NS, {"metadata": {}}, children=children)


def test_a_namespace_stuck_on_a_dead_aggregated_api_names_the_api_service() -> None:
    """B25: discovery of one group fails, so the namespace controller cannot empty the namespace."""
    live = {
        "metadata": {"deletionTimestamp": SINCE},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {
            "conditions": [
                {"type": "NamespaceDeletionDiscoveryFailure", "status": "True", "message": "stale GroupVersion"},
                {"type": "NamespaceContentRemaining", "status": "False", "message": "not shown"},
            ]
        },
    }
    lines = explain(NS, live, api_services={"v1beta1.stats.example.org": "FailedDiscoveryCheck"}, now=LATER)
    assert "held by the finalizer kubernetes (everything in it must be gone first)" in lines[0]
    assert "NamespaceDeletionDiscoveryFailure: stale GroupVersion" in lines
    assert any("APIService v1beta1.stats.example.org is not available" in line for line in lines)
    assert not any("not shown" in line for line in lines)


def test_without_a_finalizer_it_is_in_its_grace_period() -> None:
    assert "grace period" in explain(PVC, {"metadata": {"deletionTimestamp": SINCE}})[0]


def test_odd_parts_of_the_object_do_not_get_in_the_way() -> None:
    live = {"metadata": {"deletionTimestamp": "yesterday"}, "status": {"conditions": ["odd"]}}
    assert "since yesterday" in explain(NS, live, now=LATER)[0]
