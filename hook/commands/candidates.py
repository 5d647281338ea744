"""Candidates: TektonInstallerSets that the operator made by itself, of which a first handoff names its own."""

from __future__ import annotations

from collections.abc import Sequence

from hook.cluster.answers import ApiError, Cause
from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.generations.installer_set import COMPONENT_LABEL, InstallerSet
from hook.manifests.identity import Object
from hook.tekton.installer_set import CREATED_BY, TEKTON_SET, TYPE, VERSION, TektonInstallerSet

CANDIDATE_COLUMNS = ("NAME", "CREATED-BY", "TYPE", "OWNER", "READY", "MANIFESTS")


def find_candidates(
    objects: Objects, discovery: Discovery, sets: Sequence[InstallerSet]
) -> tuple[TektonInstallerSet, ...]:
    """Sets that the Tekton operator made by itself, and that the component's records do not name."""
    found = discovery.find(TEKTON_SET, VERSION)
    if found is None:
        return ()
    try:
        listed = [TektonInstallerSet.from_object(item) for item in objects.list(found).items]
    except ApiError as error:
        if error.cause is Cause.FORBIDDEN:
            return ()
        raise
    recorded = {one.operator_set.uid for one in sets if one.operator_set}
    return tuple(one for one in listed if one.uid not in recorded and COMPONENT_LABEL not in one.labels)


def candidate_object(one: TektonInstallerSet) -> Object:
    return {
        "name": one.name,
        "createdBy": one.labels.get(CREATED_BY),
        "type": one.labels.get(TYPE),
        "owners": [f"{owner.get('kind')}/{owner.get('name')}" for owner in one.owners],
        "ready": one.ready,
        "manifests": len(one.manifests),
    }


def candidate_row(one: TektonInstallerSet) -> tuple[str, ...]:
    shown = candidate_object(one)
    shown["owners"] = ", ".join(shown["owners"])
    return tuple("" if value is None else str(value) for value in shown.values())
