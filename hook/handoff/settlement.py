"""Settle: after retirement, prune in order, with the exact apply where the old pods are gone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hook.generations.body import SECRET, carries_along
from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet
from hook.handoff.application import Application
from hook.handoff.autoscaling import Autoscalers
from hook.handoff.observation import observe
from hook.handoff.old_pods import await_old_pods
from hook.handoff.planning import Act, Planner, Step
from hook.handoff.pruning import Pruner
from hook.handoff.session import Session
from hook.pruning.order import PrunePhase

BEFORE_EXACT = (PrunePhase.WEBHOOKS, PrunePhase.CUSTOM_RESOURCES, PrunePhase.API_SERVICES)
WORKLOADS = (PrunePhase.WORKLOADS,)
AFTER_EXACT = (PrunePhase.REST, PrunePhase.CRDS, PrunePhase.NAMESPACES)


def settle(session: Session, generation: Generation | None, pruner: Pruner, wait_again: Callable[[], object]) -> None:
    """Prune what no living set represents, and take away what was carried along for the old pods.

    `generation` is None when nothing is to be applied exactly: the component goes, or is exact already. `wait_again`
    returns when the desired generation is Ready.
    What a finalizer of a custom resource holds up keeps its controller, and what its pods need, until the next run.
    """
    session.refresh_discovery()
    pruner.run(BEFORE_EXACT)
    if pruner.holds(PrunePhase.CUSTOM_RESOURCES) and pruner.would_go(PrunePhase.WORKLOADS):
        session.journal.note(
            "warnings",
            session.component,
            "obsolete workloads stay until the custom resources that they clean up are gone",
        )
        pruner.postpone(
            "goes after the custom resources that are held up: one of the obsolete workloads may be what frees them"
        )
        return
    pruner.run(WORKLOADS)
    if pruner.still_serves():
        pruner.postpone("goes after the obsolete workloads that are held up: their pods may need it")
        return
    if generation is not None:
        apply_exactly(session, generation, pruner.living, wait_again)
    pruner.run(AFTER_EXACT)


def apply_exactly(
    session: Session, generation: Generation, living: tuple[InstallerSet, ...], wait_again: Callable[[], object]
) -> None:
    """Apply the manifests as they are, now that no old pod needs more; nothing is sent for what is exact already."""
    wanted = {m.identity: m.version for m in generation.manifests}
    observation = observe(session, living, wanted)
    completed = {key for one in living for key, fact in one.facts.items() if fact.complete}
    planner = Planner(session, observation, old_generation=False, completed_jobs=completed, exact=True)
    planner.autoscalers = Autoscalers(session, (manifest.obj for manifest in generation.manifests))
    steps = [_exact(session, planner.step(m)) for m in generation.manifests]
    if any(step.act is Act.CHANGE for step in steps):
        await_old_pods(session, generation)
    Application(session, planner, generation, steps).run()
    session.operator.install(generation, living, observation.live)
    _clear_adopted(session, living)
    if any(step.act in (Act.CHANGE, Act.CREATE, Act.RECREATE) for step in steps):
        wait_again()


def _exact(session: Session, step: Step) -> Step:
    """A Secret was sent in this run already; it is sent again only if a key was carried along in it."""
    if step.act is not Act.CHANGE or step.live is None or step.identity.of_kind != SECRET:
        return step
    carried = carries_along(step.manifest.obj, step.live, session.component, session.namespace)
    if carried or session.settings.always_apply:
        return step
    return replace(step, act=Act.UNCHANGED)


def _clear_adopted(session: Session, living: tuple[InstallerSet, ...]) -> None:
    """What was adopted has had its exact apply: from here on it is like everything else that we own."""
    if not any(entry.adopted for one in living for entry in one.resources):
        return
    names = {one.name for one in living}
    for one in session.records.read():
        if one.name in names and any(entry.adopted for entry in one.resources):
            resources = tuple(replace(entry, adopted=False) for entry in one.resources)
            session.records.update(one.listing(resources))
