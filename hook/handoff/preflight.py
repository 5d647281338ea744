"""Preflight: everything that can be refused is refused here, by name, before anything is written."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from hook.cluster.answers import ApiError, Cause
from hook.errors import HandoffError, Refused
from hook.generations.carry_over import cannot_carry, inspects
from hook.generations.generation import Generation
from hook.generations.immutability import immutable_changes, recreate_allowed, recreates_by_itself
from hook.generations.installer_set import InstallerSet
from hook.generations.managed_fields import shared_with
from hook.handoff.definitions import definitions_of
from hook.handoff.obsolete import check_limit, obsolete
from hook.handoff.planning import Act, Planner, Step
from hook.handoff.rights import check_rights
from hook.handoff.session import Session, worst
from hook.manifests.identity import Kind
from hook.manifests.manifest import Manifest
from hook.manifests.waves import api_services_of, served_by

_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_ROLES = frozenset(Kind("rbac.authorization.k8s.io", name) for name in ("Role", "ClusterRole"))
# What a dry run cannot tell: it is looked at in its wave, when what it needs has come.
_NOT_TOLD = frozenset(
    {
        Cause.NAMESPACE_MISSING,
        Cause.MISSING_ROLE,
        Cause.WEBHOOK_UNREACHABLE,
        Cause.NAMESPACE_TERMINATING,
        Cause.PATH_NOT_FOUND,
        Cause.UNSERVED_FIELDS,  # moved to a served version in its wave
        Cause.BAD_REQUEST,  # a webhook with side effects refuses every dry run
    }
)
_BY_SCHEMA = frozenset({Cause.TYPED_PATCH, Cause.INVALID})
_MOVED = frozenset({Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH})  # planned anew in its wave


def preflight(session: Session, generation: Generation, planner: Planner, sets: Sequence[InstallerSet]) -> list[Step]:
    """The steps for all manifests whose kind is served already.

    Raises Refused (or RightsMissing) with everything that was found, each in a line.
    """
    going = obsolete(generation, sets, session.settings.prune_kind)
    check_limit(session.settings, going, sets)
    later = _coming_kinds(generation)
    steps = _each(session, lambda m: _plan(session, planner, m, later), generation.manifests)
    planned = [step for step in steps if step is not None]
    check_rights(session, generation, planned, going, old_generation=planner.old_generation)
    writes = {step.identity for step in planned if step.act in (Act.CREATE, Act.CHANGE)}
    redefined = {kind for kind, definition in definitions_of(generation.manifests).items() if definition in writes}
    checked = _each(session, lambda step: _try(session, step, planner.old_generation, redefined), planned)
    return [step for step in checked if step is not None]


def _plan(session: Session, planner: Planner, manifest: Manifest, later: set[tuple[str, str]]) -> Step | None:
    found = session.type_of(manifest.identity.of_kind, manifest.version)
    served = found is not None and found.version == manifest.version
    if not served and (manifest.identity.group, manifest.version) in later:
        return None
    return planner.step(manifest)


def _coming_kinds(generation: Generation) -> set[tuple[str, str]]:
    """(group, version) that CRDs and APIServices of this very input will serve."""
    coming = set(api_services_of(generation.manifests))
    for manifest in generation.manifests:
        if manifest.identity.of_kind == _CRD:
            group, _, versions = served_by(manifest.obj)
            coming |= {(group, version) for version in versions}
    return coming


def _try(session: Session, step: Step, old_generation: bool, redefined: Collection[Kind]) -> Step | None:
    """Dry-run one step; None where it has to be planned again in its wave.

    What is wrong with a resource of a `redefined` kind may be right by the schema that comes with this very input.
    """
    if step.act is not Act.CHANGE and not (step.act is Act.CREATE and step.identity.of_kind in _ROLES):
        return step
    if step.act is Act.CHANGE and old_generation and inspects(step.identity.of_kind):
        _tell_losses(session, step)
    try:
        _dry_run(session, step)
    except ApiError as error:
        if error.cause in _NOT_TOLD or (error.cause in _BY_SCHEMA and step.identity.of_kind in redefined):
            return step
        if error.cause in _MOVED:
            return None
        if error.cause is Cause.INVALID:
            return _recreation(session, step, error)
        raise
    return step


def _dry_run(session: Session, step: Step) -> None:
    body = step.body
    if body is None:
        raise HandoffError(f"{step.identity}: no body was planned")
    live = step.live or {"metadata": {}}
    # What is taken over with the object is no conflict.
    taken = step.verdict.managers if step.verdict else frozenset()
    entries = [e for e in live["metadata"].get("managedFields") or [] if e.get("manager") not in taken]
    if shared_with(entries, session.manager, body):
        try:
            session.objects.apply(step.type, body, session.manager, force=False, dry_run=True, metadata_only=True)
            return
        except ApiError as error:
            if error.cause is not Cause.FIELD_CONFLICT:
                raise
            causes = [c for c in error.field_causes if not any(f'"{manager}"' in c.message for manager in taken)]
            if causes and session.settings.conflicts == "fail":
                raise Refused(
                    f"{step.identity}: fields are held by other managers; use --conflicts force, or take them out "
                    "of the manifest",
                    [f"{cause.field}: {cause.message}" for cause in causes],
                ) from None
            for cause in causes:
                session.journal.note("conflicts", step.identity, f"{cause.field}: {cause.message}")
    session.objects.apply(step.type, body, session.manager, force=True, dry_run=True, metadata_only=True)


def _recreation(session: Session, step: Step, error: ApiError) -> Step:
    fields = immutable_changes(step.identity.of_kind, error.field_causes)
    if fields is None:
        raise Refused(f"{step.identity}: {error.text}", [f"{c.field}: {c.message}" for c in error.field_causes])
    changed = ", ".join(fields)
    allowed = recreate_allowed(step.manifest.obj, session.settings.recreate)
    if not recreates_by_itself(step.identity.of_kind) and not allowed:
        raise Refused(
            f"{step.identity}: {changed} is immutable and changed; allow it to be deleted and created anew with "
            f"--recreate {step.identity.kind}/{step.identity.name} (or the annotation installersets.io/recreate: "
            "allowed), which interrupts it, or give the new one another name"
        )
    return replace(step, act=Act.RECREATE, reason=f"{changed} changed, which is immutable")


def _tell_losses(session: Session, step: Step) -> None:
    whole = session.objects.get(step.type, step.identity.namespace, step.identity.name)
    for line in cannot_carry(step.manifest.obj, whole, session.manager, adopted=step.adopts):
        session.journal.note("warnings", step.identity, line)


def _each(session: Session, function, items):  # type: ignore[no-untyped-def]
    """Call `function` for all items and raise the worst error with every other one as a detail."""
    errors: list[BaseException] = []

    def call(item):  # type: ignore[no-untyped-def]
        try:
            return function(item)
        except HandoffError as error:
            errors.append(error)
            return None

    results = session.parallel(call, items)
    if errors:
        raise worst(errors)
    return results
