"""Properties of decisions over random worlds: whatever comes together, no promise breaks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hook.generations.marks import owner_label, owners
from hook.manifests.identity import Identity, Object
from hook.pruning.action import Action
from hook.pruning.candidate import Candidate
from hook.pruning.contents import Contents, Item, namespace_contents
from hook.pruning.context import PruneContext
from hook.pruning.decision import decide
from hook.pruning.guards.kept_kinds import KEPT_KINDS
from hook.pruning.guards.protected_names import SYSTEM_NAMESPACES
from hook.pruning.order import PrunePhase, phase_of, stages
from hook.pruning.reading import Absent, ApiRemoved, Forbidden, LiveRead, Present, Unknown
from tests.unit.pruning.world import COMPONENT, NAMESPACE, OURS

NAMES = ["a", "b", "kube-system", NAMESPACE]
UIDS = ["u-1", "u-2", "u-3"]
KINDS = [
    ("", "ConfigMap", True),
    ("", "PersistentVolumeClaim", True),
    ("apps", "Deployment", True),
    ("one.example.org", "Site", True),
    ("two.example.org", "Site", True),
    ("", "Namespace", False),
    ("apiextensions.k8s.io", "CustomResourceDefinition", False),
]
MARKS = [
    {},
    OURS,
    {owner_label(COMPONENT): "elsewhere"},
    {owner_label("bank"): NAMESPACE},
    {**OURS, owner_label("bank"): NAMESPACE},
    {owner_label("shop-two"): NAMESPACE},
]
KEEPS = [{}, {}, {"installersets.io/prune": "disabled"}, {"helm.sh/resource-policy": "keep"}]


@st.composite
def identities(draw: st.DrawFn) -> Identity:
    group, kind, namespaced = draw(st.sampled_from(KINDS))
    return Identity(group, kind, draw(st.sampled_from(["x", "y"])) if namespaced else "", draw(st.sampled_from(NAMES)))


@st.composite
def reads(draw: st.DrawFn, identity: Identity) -> LiveRead:
    other: list[LiveRead] = [Absent(), ApiRemoved(), Unknown("503"), Forbidden("no right")]
    if not draw(st.booleans()) and draw(st.booleans()):
        return draw(st.sampled_from(other))
    metadata: Object = {
        "name": identity.name,
        "namespace": identity.namespace,
        "uid": draw(st.sampled_from(UIDS)),
        "resourceVersion": draw(st.sampled_from(["7", "7", "7", ""])),
        "labels": draw(st.sampled_from(MARKS)),
        "annotations": draw(st.sampled_from(KEEPS)),
    }
    if draw(st.integers(0, 5)) == 0:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    if draw(st.integers(0, 5)) == 0:
        metadata["ownerReferences"] = [{"kind": "Gear", "name": "g", "uid": "u-9", "controller": True}]
    return Present(metadata, draw(st.sampled_from(["v1", "v2"])))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Candidate, LiveRead, PruneContext]:
    identity = draw(identities())
    context = PruneContext(
        COMPONENT,
        NAMESPACE,
        successors=draw(st.frozensets(identities(), max_size=3)),
        successor_uids=draw(st.dictionaries(st.sampled_from(UIDS), identities(), max_size=2)),
        successors_unread=draw(st.frozensets(identities(), max_size=2)),
        prune_kinds=draw(st.frozensets(st.sampled_from([kind.kind for kind in KEPT_KINDS]))),
        removing=draw(st.booleans()),
        unknown_groups=draw(st.frozensets(st.just("stats.example.org"), max_size=1)),
        contents=draw(
            st.dictionaries(
                st.just(identity),
                st.sampled_from([
                    Contents(),
                    Contents(unknown="503"),
                    Contents(blocking=(identity,)),
                    Contents(going=(identity,)),
                ]),
            )
        ),
    )  # fmt: skip
    return Candidate(identity, "v1", draw(st.sampled_from(UIDS))), draw(reads(identity)), context


@given(cases())
def test_delete_only_with_our_mark_alone_on_the_object_as_read(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    candidate, live, context = case
    decision = decide(candidate, live, context)
    if decision.action is Action.DELETE:
        assert isinstance(live, Present)
        assert owners(live.metadata) == {COMPONENT: NAMESPACE}
        assert "ownerReferences" not in live.metadata
        assert "deletionTimestamp" not in live.metadata


@given(cases())
def test_delete_always_carries_the_preconditions_and_the_policy(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    candidate, live, context = case
    decision = decide(candidate, live, context)
    if decision.action is Action.DELETE:
        assert isinstance(live, Present)
        assert decision.uid == live.metadata["uid"]
        assert decision.resource_version == live.metadata["resourceVersion"] != ""
        assert decision.propagation in {"Foreground", "Background"}


@given(cases())
def test_nothing_that_a_successor_represents_is_deleted_or_given_up(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    candidate, live, context = case
    decision = decide(candidate, live, context)
    held = candidate.identity in context.successors
    if isinstance(live, Present):
        held |= live.metadata["uid"] in context.successor_uids
        held |= candidate.identity in context.successors_unread
    if held:
        assert decision.action not in {Action.DELETE, Action.GIVE_UP}


@given(cases())
def test_unknown_and_forbidden_never_become_gone(case: tuple[Candidate, LiveRead, PruneContext]) -> None:
    candidate, live, context = case
    decision = decide(candidate, live, context)
    if isinstance(live, Unknown | Forbidden) and candidate.identity not in context.successors:
        assert decision.action.incomplete
        assert not decision.action.drops
    if decision.action is Action.GONE:
        assert isinstance(live, Absent | ApiRemoved)


@given(cases())
def test_what_is_there_leaves_the_record_only_for_a_named_other_owner(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    """Our mark alone, no successor: the line stays until the object is gone, or `remove` gives it up."""
    candidate, live, context = case
    if not isinstance(live, Present) or owners(live.metadata) != {COMPONENT: NAMESPACE}:
        return
    represented = {*context.successors, context.successor_uids.get(live.metadata["uid"])}
    if "ownerReferences" in live.metadata or candidate.identity in represented:
        return
    decision = decide(candidate, live, context)
    if decision.action.drops:
        assert decision.action is Action.RENAMED or (decision.action is Action.GIVE_UP and context.removing)


@given(cases())
def test_kept_kinds_and_protected_namespaces_go_only_when_told_and_empty(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    candidate, live, context = case
    kind = candidate.identity.of_kind
    if decide(candidate, live, context).action is not Action.DELETE or kind not in KEPT_KINDS:
        return
    assert kind.kind in context.prune_kinds
    if kind.kind != "PersistentVolumeClaim":
        assert not context.unknown_groups
        assert context.contents[candidate.identity] == Contents()
    if kind.kind == "Namespace":
        assert candidate.identity.name not in {*SYSTEM_NAMESPACES, NAMESPACE}


@given(cases())
def test_a_decision_depends_on_nothing_but_its_input(case: tuple[Candidate, LiveRead, PruneContext]) -> None:
    assert decide(*case) == decide(*case)


@given(cases())
def test_deciding_again_after_retain_is_the_same_so_that_a_kept_object_stays_a_candidate(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    candidate, live, context = case
    decision = decide(candidate, live, context)
    if decision.action is Action.RETAIN:
        assert decide(replace(candidate, retained=True), live, context) == decision


@given(cases())
def test_wait_foreign_and_unknown_name_nothing_to_delete(
    case: tuple[Candidate, LiveRead, PruneContext],
) -> None:
    """A resourceVersion is handed out only where a write may follow."""
    decision = decide(*case)
    if decision.action not in {Action.DELETE, Action.GIVE_UP, Action.RETAIN}:
        assert decision.resource_version == ""


@given(st.lists(identities(), max_size=12))
def test_stages_hold_each_resource_once_and_never_step_back(members: list[Identity]) -> None:
    order = stages(members)
    phases = [stage.phase for stage in order]
    assert phases == sorted(phases)
    assert sorted(identity for stage in order for identity in stage.members) == sorted(set(members))
    assert all(phase_of(identity) is stage.phase for stage in order for identity in stage.members)
    assert all(stage.phase is PrunePhase.NAMESPACES for stage in order for i in stage.members if i.kind == "Namespace")


@given(st.lists(identities(), unique=True, max_size=8), st.data())
def test_contents_are_sorted_out_without_loss(found: list[Identity], data: st.DataObject) -> None:
    items = [
        Item(
            identity,
            {
                "uid": str(number),
                "ownerReferences": [
                    {"controller": True, "uid": str(data.draw(st.integers(0, len(found))))}
                ],
            },
        )
        for number, identity in enumerate(found)
    ]  # fmt: skip
    going = set(data.draw(st.lists(st.sampled_from(found), max_size=3))) if found else set()
    contents = namespace_contents(items, going)
    assert sorted((*contents.blocking, *contents.going)) == sorted(found)
    assert going <= set(contents.going)
