"""New sets: fixed names, and no label that the operator's component reconcilers look for while old ones are there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hook.cluster.answers import ApiError, Cause
from hook.generations.body import SECRET, body_of, carries_along
from hook.generations.generation import Generation
from hook.generations.installer_set import (
    COMPONENT_LABEL,
    GENERATION_LABEL,
    PART_LABEL,
    InstallerSet,
)
from hook.generations.marks import API_GROUP, applied_annotation, applied_value
from hook.generations.sharing import saying_share
from hook.handoff.planning import JOB
from hook.handoff.session import Session
from hook.manifests.digest import digest_object
from hook.manifests.identity import Identity, Kind, Object, split_api_version
from hook.manifests.manifest import Manifest
from hook.tekton.installer_set import (
    APPLIED_HASH,
    CREATED_BY,
    INSTALL_TYPE,
    MAIN,
    TARGET_NAMESPACE,
    TYPE,
    TektonInstallerSet,
)

_NAMESPACE = f"{API_GROUP}/namespace"
# How the operator is to know the set later, copied from an old one: {"labels": {...}, "annotations": {...}}.
OPERATOR_MARKS = f"{API_GROUP}/operator-marks"


def made_for(found: TektonInstallerSet, record: InstallerSet) -> bool:
    """Whether a run made the set for this very record: it may have been killed before it wrote its uid there."""
    return (
        found.labels.get(COMPONENT_LABEL) == record.component
        and found.labels.get(GENERATION_LABEL) == record.short
        and found.annotations.get(_NAMESPACE) == record.namespace
    )


def metadata_of(session: Session, record: InstallerSet, old: Sequence[TektonInstallerSet]) -> Object:
    """Labels, annotations and owners of a new set.

    It has the owners of the old ones, so that definitions keep theirs; but only if these exist, or garbage collection
    would take the set.
    """
    metadata: Object = {
        "labels": {
            COMPONENT_LABEL: record.component,
            PART_LABEL: record.part,
            GENERATION_LABEL: record.short,
        },
        "annotations": {_NAMESPACE: record.namespace},
    }
    if marks := _marks(record, old):
        metadata["annotations"][OPERATOR_MARKS] = json.dumps(marks, sort_keys=True)
    if owners := _living_owners(session, old):
        metadata["ownerReferences"] = owners
    return metadata


def operator_marks(one: TektonInstallerSet) -> Mapping[str, Mapping[str, str]]:
    """What `metadata_of` copied; {} where there was nothing, or it cannot be read."""
    try:
        marks = json.loads(one.annotations.get(OPERATOR_MARKS, "{}"))
    except ValueError:
        return {}
    return marks if isinstance(marks, dict) else {}


def manifests_of(
    session: Session, generation: Generation, record: InstallerSet, live: Mapping[Identity, Object]
) -> list[Object]:
    """What the set is to list: each resource of its record that stands in the cluster exactly as its manifest says.

    So the operator never takes away what is carried along for old pods; such a resource comes into the list when they
    are gone. A definition that is newer in the cluster, and stays, never does.
    """
    listed = {entry.identity for entry in record.resources}
    return [
        body_of(meant, session.component, session.namespace, meant)
        for manifest in generation.manifests
        if manifest.identity in listed and not _runs_again(manifest)
        for meant in [saying_share(manifest.obj, session.settings.share)]
        if _stands(session, manifest.identity, meant, live.get(manifest.identity))
    ]


def _runs_again(manifest: Manifest) -> bool:
    """The operator would create a Job again whose time to live is over, and its work is done once."""
    return manifest.identity.of_kind == JOB and "ttlSecondsAfterFinished" in (manifest.obj.get("spec") or {})


def _stands(session: Session, identity: Identity, meant: Object, live: Object | None) -> bool:
    if live is None or live["metadata"].get("deletionTimestamp"):
        return False
    if identity.of_kind == SECRET:
        return not carries_along(meant, live, session.component, session.namespace)
    written = (live["metadata"].get("annotations") or {}).get(applied_annotation(session.component))
    return bool(written == applied_value(digest_object(meant)))


def _marks(record: InstallerSet, old: Sequence[TektonInstallerSet]) -> Object:
    """Of the main set of the same part, else of any main one, else of any; a set that a run made passes its own on."""
    ranked = sorted(old, key=lambda one: (one.labels.get(TYPE) != MAIN, one.part != record.part, one.name))
    for one in ranked:
        if marks := operator_marks(one):
            return dict(marks)
        if one.labels.get(CREATED_BY):
            return {
                "labels": _picked(one.labels, (CREATED_BY, TYPE, INSTALL_TYPE)),
                "annotations": _picked(one.annotations, (TARGET_NAMESPACE, APPLIED_HASH)),
            }
    return {}


def _picked(have: Mapping[str, str], keys: Iterable[str]) -> dict[str, str]:
    return {key: have[key] for key in keys if key in have}


def _living_owners(session: Session, old: Iterable[TektonInstallerSet]) -> list[Mapping[str, Any]]:
    for one in old:
        living = [owner for owner in one.owners if _lives(session, owner)]
        if living:
            return living
    return []


def _lives(session: Session, owner: Mapping[str, Any]) -> bool:
    group, version = split_api_version(str(owner.get("apiVersion")))
    found = session.type_of(Kind(group, str(owner.get("kind"))), version)
    if found is None:
        return False
    try:
        live = session.objects.get(found, "", str(owner.get("name")), metadata_only=True)
    except ApiError as error:
        if error.cause is Cause.NOT_FOUND:
            return False
        raise
    metadata = live["metadata"]
    return metadata["uid"] == owner.get("uid") and not metadata.get("deletionTimestamp")
