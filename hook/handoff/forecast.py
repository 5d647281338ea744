"""Forecast: what a run on an input would do now, from the same rules that a run follows; reads and dry runs only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hook.cluster.answers import ApiError
from hook.generations.body import SECRET
from hook.generations.generation import Generation
from hook.generations.installer_set import Fact, InstallerSet
from hook.generations.ownership import Claim
from hook.generations.sharding import desired_sets
from hook.handoff.planning import Act, Step
from hook.handoff.preparation import Prepared, prepare
from hook.handoff.pruning import Pruner
from hook.handoff.session import Session
from hook.manifests.identity import Object
from hook.pruning.action import Action, Decision
from hook.pruning.plan import render
from hook.report.journal import Journal
from hook.report.plan import Plan

_KEY_OF = {Act.CREATE: "create", Act.CHANGE: "change", Act.RECREATE: "recreate", Act.KEEP: "kept"}
# What of these lists of the journal is known before anything is applied.
_NOTED = ("leftOut", "conflicts", "kept")
_WRITES = (Action.DELETE, Action.DEFER, Action.GIVE_UP, Action.RENAMED, Action.FOREIGN, Action.GONE)


@dataclass(frozen=True, slots=True)
class _Old:
    """The sets that a run would retire, and those that record the generation already."""

    retire: tuple[InstallerSet, ...]
    recorded: tuple[InstallerSet, ...]


def forecast(session: Session, generation: Generation) -> Plan:
    """Raises what a run would raise before its first write, such as Refused."""
    prepared = prepare(session, generation)
    steps = session.parallel(lambda step: _certain(session, step), prepared.steps)
    decisions = _pruning(session, prepared)
    old = _old(session, prepared)
    lists = _lists(prepared, steps, old, session.journal)
    retained = {e.identity for one in prepared.observation.sets for e in one.retained}
    pruned = [d for d in decisions if d.action is not Action.RETAIN or d.identity not in retained]
    changes = (
        any(lists.get(key) for key in ("create", "change", "recreate", "adopt", "share", "retire"))
        or any(d.action in _WRITES for d in pruned)
        or not _is_recorded(session, prepared, old.recorded)
    )
    return Plan(
        component=generation.component,
        generation=generation.short,
        version=generation.version,
        changes=changes,
        unchanged=sum(1 for step in steps if step.act in (Act.UNCHANGED, Act.DONE)),
        lists=lists,
        prune=[(str(d.identity), d.action.value, d.reason) for d in decisions if d.action is not Action.KEEP],
        prune_lines=render(d for d in decisions if d.action is not Action.KEEP),
        warnings=session.journal.listed("warnings"),
    )


def _certain(session: Session, step: Step) -> Step:
    """A Secret is always applied: whether that changes anything, its dry run tells."""
    if step.act is not Act.CHANGE or step.identity.of_kind != SECRET or step.body is None or step.live is None:
        return step
    try:
        answer = session.objects.apply(step.type, step.body, session.manager, dry_run=True, metadata_only=True).obj
    except ApiError:
        return step
    same = all(_of(answer, key) == _of(step.live, key) for key in ("labels", "annotations", "managedFields"))
    return replace(step, act=Act.UNCHANGED) if same else step


def _of(obj: Object, key: str) -> object:
    return obj["metadata"].get(key)


def _old(session: Session, prepared: Prepared) -> _Old:
    names = {one.name for one in desired_sets(prepared.generation, session.namespace)}
    sets = prepared.observation.sets
    return _Old(tuple(one for one in sets if one.name not in names), tuple(one for one in sets if one.name in names))


def _is_recorded(session: Session, prepared: Prepared, recorded: Sequence[InstallerSet]) -> bool:
    wanted = {one.name: {e.identity for e in one.resources} for one in _wanted(session, prepared)}
    have = {one.name: {e.identity for e in one.resources} for one in recorded if not one.retiring}
    adopted = any(entry.adopted for one in recorded for entry in one.resources)
    return wanted == have and not adopted


def _wanted(session: Session, prepared: Prepared) -> tuple[InstallerSet, ...]:
    return desired_sets(prepared.generation, session.namespace)


def _pruning(session: Session, prepared: Prepared) -> tuple[Decision, ...]:
    """What would become of everything that is obsolete, if all of the generation were there by then."""
    live = prepared.observation.live
    for identity in prepared.generation.identities:
        metadata = live[identity]["metadata"] if identity in live else None
        if metadata is None:
            session.absent.add(identity)
        else:
            session.facts[identity] = Fact(metadata["uid"], metadata.get("generation", 0))
    old = _old(session, prepared)
    living = tuple(one for one in old.recorded if not one.retiring)
    return Pruner(session, old.retire, living, prepared.generation.identities).plan()


def _lists(prepared: Prepared, steps: Sequence[Step], old: _Old, journal: Journal) -> dict[str, list[tuple[str, str]]]:
    lists: dict[str, list[tuple[str, str]]] = {name: journal.listed(name) for name in _NOTED}
    for step in steps:
        subject = str(step.identity)
        if key := _KEY_OF.get(step.act):
            lists.setdefault(key, []).append((subject, step.reason))
        if step.verdict is not None and step.act is Act.CHANGE:
            if step.takes_over:
                lists.setdefault("adopt", []).append((subject, step.verdict.why))
            elif step.verdict.claim is Claim.SHARED:
                lists.setdefault("share", []).append((subject, step.verdict.why))
        for what in step.carried.what if step.carried else ():
            lists.setdefault("carried", []).append((subject, what))
    planned = {step.identity for step in steps}
    for identity in sorted(prepared.generation.identities - planned):
        lists.setdefault("create", []).append((str(identity), "its kind comes with this input"))
    for one in old.retire:
        named = f"InstallerSet {one.namespace}/{one.name}"
        if one.operator_set is not None and not one.uid:
            named = f"{one.operator_set.name}, which the operator made"
        lists.setdefault("retire", []).append((named, one.version))
    return lists
