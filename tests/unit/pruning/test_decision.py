"""The table of what may be pruned, row by row, in its order."""

from __future__ import annotations

import pytest

from hook.generations.marks import owner_label
from hook.generations.predecessors import Predecessors
from hook.manifests.identity import Identity
from hook.pruning.action import Action
from hook.pruning.contents import Contents
from hook.pruning.decision import decide
from hook.pruning.reading import Absent, ApiRemoved, Forbidden, LiveRead, Unknown
from tests.unit.pruning.world import CONFIG, CRD, DEPLOYMENT, NS, OURS, PVC, candidate, context, decided, present

OTHER = {owner_label("bank"): "sets"}


def test_our_mark_alone_is_deleted_with_uid_and_resource_version_of_the_read() -> None:
    decision = decided()
    assert decision.action is Action.DELETE
    assert (decision.uid, decision.resource_version, decision.propagation) == ("u-1", "7", "Background")


def test_the_uid_of_the_live_read_is_the_precondition_and_the_difference_is_reported() -> None:
    decision = decided(live=present(uid="u-new"))
    assert (decision.action, decision.uid) == (Action.DELETE, "u-new")
    assert decision.notes == ("restored or recreated since it was recorded (uid u-new, recorded u-1)",)


def test_a_record_without_uid_reports_no_difference() -> None:
    assert decide(candidate(uid=""), present(), context()).notes == ()


def test_a_workload_goes_in_the_foreground() -> None:
    assert decided(DEPLOYMENT).propagation == "Foreground"


def test_the_version_that_answered_is_the_one_to_use() -> None:
    assert decided(live=present(version="v2")).version == "v2"


def test_a_uid_held_by_a_successor_is_the_same_object_under_another_id() -> None:
    moved = Identity("new.example.org", "ConfigMap", "x", "conf")
    decision = decided(successors=frozenset({moved}), successor_uids={"u-1": moved})
    assert (decision.action, decision.successor) == (Action.RENAMED, moved)


def test_a_uid_held_under_its_own_identity_is_no_rename() -> None:
    decision = decided(successors=frozenset({CONFIG}), successor_uids={"u-1": CONFIG})
    assert decision.action is Action.KEEP


@pytest.mark.parametrize(
    "live",
    [present(), present(labels={}), present(deletionTimestamp="t"), Absent(), Unknown("503"), Forbidden("no")],
)
def test_an_identity_that_a_successor_lists_is_kept_whatever_the_read_says(live: LiveRead) -> None:
    assert decided(live=live, successors=frozenset({CONFIG})).action is Action.KEEP


def test_an_unread_successor_of_the_same_name_keeps_what_may_be_the_same_object() -> None:
    twin = Identity("new.example.org", "ConfigMap", "x", "conf")
    decision = decided(successors=frozenset({twin}), successors_unread=frozenset({twin}))
    assert decision.action is Action.UNKNOWN
    assert str(twin) in decision.reason


def test_an_unread_successor_elsewhere_concerns_nobody_else() -> None:
    elsewhere = Identity("", "ConfigMap", "y", "conf")
    assert decided(successors_unread=frozenset({elsewhere})).action is Action.DELETE


def test_what_is_being_deleted_is_waited_for_and_gets_no_second_delete() -> None:
    decision = decided(live=present(deletionTimestamp="2026-01-01T00:00:00Z"))
    assert (decision.action, decision.uid) == (Action.WAIT, "u-1")


def test_without_our_mark_it_is_foreign() -> None:
    decision = decided(live=present(labels={}))
    assert decision.action is Action.FOREIGN
    assert owner_label("shop") in decision.reason


def test_the_mark_of_the_same_component_in_another_namespace_is_foreign() -> None:
    decision = decided(live=present(labels={owner_label("shop"): "elsewhere"}))
    assert decision.action is Action.FOREIGN
    assert "namespace elsewhere" in decision.reason


def test_another_components_mark_alone_is_foreign_and_names_it() -> None:
    decision = decided(live=present(labels=OTHER))
    assert decision.action is Action.FOREIGN
    assert "bank" in decision.reason


def test_a_controller_makes_it_foreign_even_with_our_mark() -> None:
    owner = {"kind": "ReplicaSet", "name": "web-1", "uid": "u-9", "controller": True}
    decision = decided(live=present(ownerReferences=[owner]))
    assert decision.action is Action.FOREIGN
    assert "ReplicaSet web-1" in decision.reason


def test_what_the_operator_of_a_retiring_set_controls_goes_although_it_never_had_our_mark() -> None:
    owner = {"kind": "TektonInstallerSet", "name": "old", "uid": "u-9", "controller": True}
    known = Predecessors(frozenset({"u-9"}))
    assert decided(live=present(labels={}, ownerReferences=[owner]), predecessors=known).action is Action.DELETE
    assert decided(live=present(labels=OTHER, ownerReferences=[owner]), predecessors=known).action is Action.GIVE_UP


def test_what_another_set_of_the_operator_lists_too_is_foreign_and_names_it() -> None:
    owner = {"kind": "TektonInstallerSet", "name": "old", "uid": "u-9", "controller": True}
    decision = decided(
        live=present(ownerReferences=[owner]),
        predecessors=Predecessors(frozenset({"u-9"})),
        elsewhere={CONFIG: "TektonInstallerSet other"},
    )
    assert decision.action is Action.FOREIGN
    assert "TektonInstallerSet other" in decision.reason


def test_an_owner_that_is_no_controller_does_not_make_it_foreign() -> None:
    owner = {"kind": "ConfigMap", "name": "a", "uid": "u-9"}
    assert decided(live=present(ownerReferences=[owner])).action is Action.DELETE


def test_our_mark_beside_anothers_is_given_up() -> None:
    decision = decided(live=present(labels={**OURS, **OTHER}))
    assert decision.action is Action.GIVE_UP
    assert (decision.reason, decision.resource_version) == ("handed over to bank", "7")


def test_a_handover_comes_before_what_is_kept_by_rule() -> None:
    assert decided(NS, present(NS, labels={**OURS, **OTHER})).action is Action.GIVE_UP


@pytest.mark.parametrize("identity", [NS, CRD, PVC])
def test_namespaces_crds_and_claims_are_retained_by_default(identity: Identity) -> None:
    decision = decided(identity)
    assert decision.action is Action.RETAIN
    assert f"--prune-kind {identity.kind}" in decision.reason


@pytest.mark.parametrize("identity", [NS, CRD, PVC])
def test_removal_gives_up_what_is_kept(identity: Identity) -> None:
    assert decided(identity, removing=True).action is Action.GIVE_UP


@pytest.mark.parametrize("identity", [NS, CRD, PVC])
def test_prune_kind_lets_a_kept_kind_go_when_it_is_empty(identity: Identity) -> None:
    decision = decided(identity, prune_kinds=frozenset({identity.kind}), contents={identity: Contents()})
    assert decision.action is Action.DELETE


def test_a_kind_of_the_same_name_in_another_group_is_not_kept() -> None:
    assert decided(Identity("example.org", "Namespace", "x", "a")).action is Action.DELETE


@pytest.mark.parametrize("name", ["kube-system", "default", "kube-public", "kube-node-lease", "sets"])
def test_some_namespaces_never_go(name: str) -> None:
    identity = Identity("", "Namespace", "", name)
    decision = decided(identity, prune_kinds=frozenset({"Namespace"}), contents={identity: Contents()})
    assert decision.action is Action.RETAIN


@pytest.mark.parametrize("identity", [NS, CRD])
def test_while_a_group_is_unknown_no_container_goes(identity: Identity) -> None:
    decision = decided(
        identity,
        prune_kinds=frozenset({identity.kind}),
        contents={identity: Contents()},
        unknown_groups=frozenset({"stats.example.org"}),
    )
    assert decision.action is Action.UNKNOWN
    assert "stats.example.org" in decision.reason


def test_an_unknown_group_does_not_hold_up_other_kinds() -> None:
    assert decided(unknown_groups=frozenset({"stats.example.org"})).action is Action.DELETE


@pytest.mark.parametrize("contents", [{}, {NS: Contents(unknown="LIST of gears failed: 503")}])
def test_a_container_whose_contents_are_unknown_stays(contents: dict[Identity, Contents]) -> None:
    assert decided(NS, prune_kinds=frozenset({"Namespace"}), contents=contents).action is Action.UNKNOWN


def test_a_container_in_use_is_retained_and_says_by_what() -> None:
    decision = decided(NS, prune_kinds=frozenset({"Namespace"}), contents={NS: Contents(blocking=(PVC,))})
    assert decision.action is Action.RETAIN
    assert decision.reason == f"in use by 1 object: {PVC}"


def test_of_many_contents_the_first_are_named_and_all_are_counted() -> None:
    many = tuple(Identity("", "Secret", "team-a", f"s{number}") for number in range(9))
    reason = decided(NS, prune_kinds=frozenset({"Namespace"}), contents={NS: Contents(blocking=many)}).reason
    assert "9 objects" in reason
    assert reason.endswith(f"{many[4]}, ...")


def test_a_container_waits_for_its_obsolete_contents() -> None:
    decision = decided(NS, prune_kinds=frozenset({"Namespace"}), contents={NS: Contents(going=(CONFIG,))})
    assert decision.action is Action.DEFER


def test_removal_gives_up_a_namespace_in_use() -> None:
    decision = decided(
        NS, removing=True, prune_kinds=frozenset({"Namespace"}), contents={NS: Contents(blocking=(PVC,))}
    )
    assert decision.action is Action.GIVE_UP


def test_an_object_404_is_gone() -> None:
    assert decided(live=Absent()).action is Action.GONE


def test_a_removed_api_is_gone_and_says_so() -> None:
    decision = decided(live=ApiRemoved())
    assert decision.action is Action.GONE
    assert "API" in decision.reason


def test_unknown_stays_recorded_and_makes_the_run_incomplete() -> None:
    decision = decided(live=Unknown("503 of stats.example.org"))
    assert (decision.action, decision.reason) == (Action.UNKNOWN, "unknown: 503 of stats.example.org")
    assert decision.action.incomplete
    assert not decision.action.drops


def test_forbidden_stays_recorded_and_makes_the_run_incomplete() -> None:
    decision = decided(live=Forbidden("cannot get configmaps"))
    assert decision.action is Action.FORBIDDEN
    assert decision.action.incomplete


@pytest.mark.parametrize(
    "change",
    [
        {"uid": ""},
        {"uid": 5},
        {"resourceVersion": None},
        {"name": "another"},
        {"namespace": "another"},
        {"labels": ["odd"]},
        {"annotations": "odd"},
        {"annotations": {"argocd.argoproj.io/tracking-id": 5}},
        {"ownerReferences": "odd"},
        {"ownerReferences": ["odd"]},
        {"managedFields": ["odd"]},
    ],
)
def test_an_answer_that_is_no_such_object_is_unknown(change: dict[str, object]) -> None:
    live = present()
    live.metadata.update(change)
    assert decided(live=live).action is Action.UNKNOWN
