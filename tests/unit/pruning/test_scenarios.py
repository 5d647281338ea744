"""Public reports of tools that pruned the wrong thing, as far as a decision alone can tell them apart.

The letters and numbers are those of the project's scenario list.
"""

from __future__ import annotations

from hook.generations.marks import owner_label
from hook.manifests.identity import Identity
from hook.pruning.action import Action
from hook.pruning.candidate import Candidate
from hook.pruning.contents import Contents, Item, crd_contents, namespace_contents
from hook.pruning.decision import decide
from hook.pruning.order import stages
from hook.pruning.reading import Absent, ApiRemoved, Unknown
from tests.unit.pruning.world import CONFIG, CRD, NS, OURS, context, decided, present

GEAR = Identity("example.org", "Gear", "a", "one")


def test_b01_an_object_served_under_two_groups_is_renamed_not_deleted() -> None:
    old = Identity("extensions", "Ingress", "shop", "front")
    new = Identity("networking.k8s.io", "Ingress", "shop", "front")
    decision = decided(old, successors=frozenset({new}), successor_uids={"u-1": new})
    assert (decision.action, decision.successor) == (Action.RENAMED, new)


def test_b02_a_version_change_in_one_group_is_the_same_resource() -> None:
    alarm = Identity("rules.example.org", "Alarm", "ops", "cpu")
    decision = decide(
        Candidate(alarm, "v1beta1", "u-1"),
        present(alarm, version="v1"),
        context(successors=frozenset({alarm}), successor_uids={"u-1": alarm}),
    )
    assert decision.action is Action.KEEP


def test_b03_the_same_kind_and_name_in_another_group_is_another_resource() -> None:
    a, b = Identity("a.example.org", "Site", "", "main"), Identity("b.example.org", "Site", "", "main")
    decision = decided(a, present(a, uid="u-a"), successors=frozenset({b}), successor_uids={"u-b": b})
    assert (decision.action, decision.uid) == (Action.DELETE, "u-a")


def test_b04_a_namespace_with_something_of_a_living_generation_stays() -> None:
    conf = Item(Identity("", "ConfigMap", "team-a", "conf"), {"uid": "u-conf", "labels": OURS})
    contents = {NS: namespace_contents([conf])}
    decision = decided(NS, prune_kinds=frozenset({"Namespace"}), contents=contents)
    assert decision.action is Action.RETAIN
    assert "in use" in decision.reason


def test_b07_a_kind_that_discovery_cannot_tell_now_is_not_pruned() -> None:
    tenant = Identity("tenancy.example.org", "Tenant", "", "blue")
    decision = decided(tenant, Unknown("discovery of tenancy.example.org is stale"))
    assert decision.action is Action.UNKNOWN


def test_b09_what_another_component_shares_is_given_up() -> None:
    service = Identity("", "Service", "s", "db")
    live = present(service, labels={**OURS, owner_label("other"): "sets"})
    decision = decided(service, live)
    assert (decision.action, decision.reason) == (Action.GIVE_UP, "handed over to other")


def test_b10_a_crd_with_a_users_object_stays_even_when_crds_may_go() -> None:
    contents = {CRD: crd_contents([Item(GEAR, {"uid": "u-gear"})])}
    decision = decided(CRD, prune_kinds=frozenset({"CustomResourceDefinition"}), contents=contents)
    assert decision.action is Action.RETAIN
    assert "1 object" in decision.reason


def test_b11_a_custom_resource_whose_crd_is_gone_is_gone() -> None:
    assert decided(GEAR, ApiRemoved()).action is Action.GONE


def test_b11_a_crd_that_is_there_but_not_served_leaves_its_objects_unknown() -> None:
    assert decided(GEAR, Unknown("its CRD is not Established")).action is Action.UNKNOWN


def test_b13_a_resource_that_was_recorded_but_never_created_is_dropped() -> None:
    assert decided(CONFIG, Absent()).action is Action.GONE


def test_b15_a_version_served_no_more_gives_way_to_the_served_one() -> None:
    budget = Identity("policy", "PodDisruptionBudget", "x", "p")
    decision = decide(Candidate(budget, "v1beta1", "u-1"), present(budget, version="v1"), context())
    assert (decision.action, decision.version) == (Action.DELETE, "v1")


def test_b25_a_terminating_namespace_gets_no_second_delete() -> None:
    live = present(NS, deletionTimestamp="2026-01-01T00:00:00Z")
    assert decided(NS, live, prune_kinds=frozenset({"Namespace"})).action is Action.WAIT


def test_b26_one_dead_group_holds_up_its_own_objects_only() -> None:
    stat = Identity("stats.example.org", "Stat", "x", "s")
    unknown = frozenset({"stats.example.org"})
    assert decided(stat, Unknown("503"), unknown_groups=unknown).action is Action.UNKNOWN
    assert decided(CONFIG, unknown_groups=unknown).action is Action.DELETE


def test_b27_the_webhook_goes_before_its_server_and_its_configuration() -> None:
    webhook = Identity("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "", "v")
    server, service = Identity("apps", "Deployment", "x", "hook"), Identity("", "Service", "x", "hook")
    order = [stage.members for stage in stages([service, CONFIG, server, webhook])]
    assert order == [(webhook,), (server,), (CONFIG, service)]


def test_b28_custom_resources_go_while_their_controller_lives() -> None:
    controller = Identity("apps", "Deployment", "x", "ctl")
    assert [stage.members for stage in stages([CRD, controller, GEAR])] == [(GEAR,), (controller,), (CRD,)]


def test_b28_a_crd_waits_for_custom_resources_that_go() -> None:
    contents = {CRD: Contents(going=(GEAR,))}
    decision = decided(CRD, prune_kinds=frozenset({"CustomResourceDefinition"}), contents=contents)
    assert decision.action is Action.DEFER
