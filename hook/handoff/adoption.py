"""Adopt: take over a live object with one conditional patch, before our fields are applied to it."""

from __future__ import annotations

from datetime import UTC, datetime

from hook.generations.managed_fields import in_version, released, take_over, without
from hook.generations.marks import applied_annotation, owner_label
from hook.generations.metadata_patch import metadata_patch
from hook.generations.ownership import LAST_APPLIED, is_kubectl
from hook.handoff.planning import Step
from hook.handoff.session import Session
from hook.manifests.identity import Object


def adopt(session: Session, step: Step) -> Object | None:
    """Make a live object's fields ours before the manifest is applied to it, and drop the last-applied annotation.

    Returns the live object as it then stands.

    Fields of `kubectl` managers are merged into our Apply entry, so that what a later version drops really goes.
    The patch replaces metadata.resourceVersion: an object that changed since the plan answers with STALE. Our mark
    comes with the apply that follows: set here, it would be held by a second entry of ours, which no apply touches.
    """
    if step.live is None or step.verdict is None:
        return step.live
    if not step.takes_over:
        return _release(session, step, step.live)
    metadata = step.live["metadata"]
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    patch = metadata_patch(
        step.live,
        annotations={LAST_APPLIED: None},
        managed_fields=take_over(metadata.get("managedFields") or [], session.manager, step.verdict.takes, now),
    )
    adopted = _send(session, step, patch)
    session.journal.note("adopted", step.identity, step.verdict.why)
    return adopted


def _release(session: Session, step: Step, live: Object) -> Object:
    """Take from `kubectl` managers what the manifest sets: a person's edit, that a later version must be able to drop.

    Nothing is sent where they own nothing of it, or where the run is to fail on their conflicts.
    """
    entries = live["metadata"].get("managedFields") or []
    if step.body is None or session.settings.conflicts != "force" or not any(is_kubectl(entry) for entry in entries):
        return live
    left = released(entries, is_kubectl, step.body)
    if left == entries:
        return live
    return _send(session, step, metadata_patch(live, managed_fields=left))


def mark_patch(session: Session, live: Object) -> list[Object]:
    """The JSON patch that sets our mark, on condition of the resourceVersion."""
    return metadata_patch(live, labels=_mark(session))


def move_fields_to_served_version(session: Session, step: Step) -> None:
    """Rewrite managedFields entries of a version that is served no more; with them no apply gets through.

    See the API server's "field not declared in schema" and "no such version" for entries of a dropped CRD version.
    """
    if step.live is None:
        return
    metadata = step.live["metadata"]
    served = {each.api_version for each in session.discovery.versions_of(step.identity.of_kind)}
    entries = in_version(metadata.get("managedFields") or [], None, step.manifest.obj["apiVersion"], served)
    _send(session, step, metadata_patch(step.live, managed_fields=entries))
    session.journal.note("warnings", step.identity, "fields recorded at a version that is served no more were moved")


def give_up_patch(session: Session, live: Object) -> list[Object]:
    """The JSON patch that gives up our part of a live object; its values stay.

    Removes our mark, our applied digest and our managedFields entry on condition of the resourceVersion. An apply of
    the identity alone would delete the values that only we own.
    """
    return metadata_patch(
        live,
        labels={owner_label(session.component): None},
        annotations={applied_annotation(session.component): None},
        managed_fields=without(live["metadata"].get("managedFields") or [], session.manager),
    )


def _mark(session: Session) -> dict[str, str | None]:
    return {owner_label(session.component): session.namespace}


def _send(session: Session, step: Step, patch: list[Object]) -> Object:
    return session.objects.json_patch(step.type, step.identity.namespace, step.identity.name, patch, session.manager)
