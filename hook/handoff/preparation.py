"""Prepare: everything that a run looks at before its first write."""

from __future__ import annotations

from dataclasses import dataclass

from hook.generations.generation import Generation
from hook.generations.sharding import desired_sets
from hook.handoff.autoscaling import Autoscalers
from hook.handoff.groups import await_groups
from hook.handoff.observation import Observation, inventories, observe
from hook.handoff.planning import Planner, Step
from hook.handoff.preflight import preflight
from hook.handoff.scope import placed
from hook.handoff.session import Session
from hook.handoff.strays import find_strays


@dataclass(frozen=True, slots=True)
class Prepared:
    """The generation with its namespaces filled in, what was observed, and what each manifest needs.

    `steps` lack the manifests whose kind comes with this very input.
    """

    generation: Generation
    observation: Observation
    planner: Planner
    steps: tuple[Step, ...]


def prepare(session: Session, generation: Generation) -> Prepared:
    """Observe and preflight. Raises Refused (or RightsMissing) with everything that is found, and writes nothing."""
    with session.journal.phase("observe"):
        sets = session.records.read()
        await_groups(session, {m.identity.of_kind for m in generation.manifests})
        generation = placed(session, generation)
        sets = session.operator.survey(generation, sets)
        observation = observe(session, sets, {m.identity: m.version for m in generation.manifests})
        lost = _tell_lost_records(session, generation, observation)
        planner = _planner(session, generation, observation, lost)
    with session.journal.phase("preflight"):
        steps = preflight(session, generation, planner, sets)
    return Prepared(generation, observation, planner, tuple(steps))


def _tell_lost_records(session: Session, generation: Generation, observation: Observation) -> bool:
    """Say what carries our mark and is in no set; returns whether sets of what is desired are missing."""
    lost = observation.unrecorded(session.component, session.namespace)
    strays = set(observation.strays)
    if lost:
        session.journal.note(
            "warnings",
            session.component,
            f"its sets do not list {len(lost)} resources that carry its mark: sets were deleted or edited by "
            "somebody, or a backup was restored without them. What is desired is recorded again",
        )
        strays.update(find_strays(session, {*inventories(observation.sets), *generation.identities}))
    for stray in sorted(strays):
        session.journal.note("warnings", stray, "it carries our mark, but no set lists it: not touched")
    return bool(lost)


def _planner(session: Session, generation: Generation, observation: Observation, lost: bool) -> Planner:
    names = {one.name for one in desired_sets(generation, session.namespace)}
    alive = [one for one in observation.sets if one.name in names and not one.retiring]
    return Planner(
        session,
        observation,
        # Pods of a generation whose record is lost may still run.
        old_generation=lost or any(one.name not in names for one in observation.sets),
        adopted={e.identity for one in alive for e in one.resources if e.adopted},
        completed_jobs={key for one in alive for key, fact in one.facts.items() if fact.complete},
        autoscalers=Autoscalers(session, (manifest.obj for manifest in generation.manifests)),
    )
