"""Rights: asked for before the first write, so that a handoff does not end half-way for the lack of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from hook.errors import RightsMissing
from hook.generations.generation import Generation
from hook.handoff.planning import Act, Step
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind
from hook.rights.kinds import KnownKinds
from hook.rights.records import record_rights
from hook.rights.resources import desired_rights, obsolete_rights, watch_rights
from hook.rights.right import Need, Needed, Right
from hook.rights.surroundings import endpoint_rights, pod_rights, switch_rights


def check_rights(
    session: Session,
    generation: Generation,
    steps: Iterable[Step],
    obsolete: Iterable[Identity],
    *,
    old_generation: bool,
) -> None:
    """Ask the authorizer for what this run is going to do. Raises RightsMissing naming every right that it lacks.

    Missing rights to prune are only reported: pruning says itself what it could not do, and keeps it recorded.
    """
    if session.objects.review_access("*", "*", "*").allowed:
        return
    asked = _Asked(session, generation)
    needed = asked.of_run(list(steps), old_generation)
    missing = _missing(session, {one.right for one in needed if one.need is Need.RUN})
    if missing:
        raise RightsMissing(
            f"{len(missing)} rights are missing; nothing was written. Grant them, as `handoff rbac` prints them",
            [str(right) for right in missing],
        )
    for right in _missing(session, asked.to_prune(obsolete)):
        session.journal.note("warnings", str(right), "this right is missing: what it is for will not be pruned")


class _Asked:
    """What is asked for, of all that runs of the generation may need."""

    def __init__(self, session: Session, generation: Generation) -> None:
        self._session = session
        self._defined = KnownKinds.defined_by(m.obj for m in generation.manifests)
        # What an APIService of this very input will serve has no name yet.
        self._manifests = [m for m in generation.manifests if self._has_plural(m.identity.of_kind)]

    def of_run(self, steps: list[Step], old_generation: bool) -> Iterator[Needed]:
        session, manifests = self._session, self._manifests
        planned = {step.identity for step in steps}
        later = [m for m in manifests if m.identity not in planned]
        switching = [step.manifest for step in steps if step.carried is not None and step.carried.switches]
        return chain(
            record_rights(session.component, session.namespace),
            chain.from_iterable(map(_of_step, steps)),
            desired_rights(later, self._plural, ()),
            watch_rights(manifests, self._plural),
            endpoint_rights(manifests),
            pod_rights(manifests if old_generation else ()),
            switch_rights(switching),
            session.operator.rights(),
        )

    def to_prune(self, obsolete: Iterable[Identity]) -> set[Right]:
        served = [identity for identity in obsolete if self._has_plural(identity.of_kind)]
        found = obsolete_rights(served, self._plural, self._session.settings.prune_kind)
        # To give up what another component has too takes `patch`; who shares nothing need not have it.
        return {one.right for one in found if one.right.verb != "patch"}

    def _has_plural(self, kind: Kind) -> bool:
        return self._session.type_of(kind) is not None or self._defined.knows(kind)

    def _plural(self, kind: Kind) -> str:
        found = self._session.type_of(kind)
        return found.plural if found is not None else self._defined.plural(kind)


_VERBS = {
    Act.CREATE: ("get", "create", "patch"),
    Act.CHANGE: ("get", "patch"),
    Act.RECREATE: ("get", "create", "patch", "delete"),
}


def _of_step(step: Step) -> Iterator[Needed]:
    for verb in _VERBS.get(step.act, ()):
        right = Right(step.type.group, step.type.plural, verb, step.identity.namespace, step.identity.name)
        yield Needed(right, Need.RUN, "The component.")


def _missing(session: Session, rights: set[Right]) -> list[Right]:
    """Those that are not granted. Whole kinds are asked for first, and names only where that is denied."""
    wholly = _granted(session, {right.unnamed for right in rights})
    left = {right for right in rights if right.unnamed not in wholly}
    granted = _granted(session, {right for right in left if right.name})
    return sorted(left - granted)


def _granted(session: Session, rights: set[Right]) -> set[Right]:
    def ask(right: Right) -> bool:
        return session.objects.review_access(
            right.group, right.plural, right.verb, right.namespace, right.name, right.subresource
        ).allowed

    asked = sorted(rights)
    return {right for right, allowed in zip(asked, session.parallel(ask, asked), strict=True) if allowed}
