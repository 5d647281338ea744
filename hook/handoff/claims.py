"""Claims that a StatefulSet's templates made: they are in no inventory, and stay when it goes."""

from __future__ import annotations

import re

from hook.cluster.answers import ApiError, Cause
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind
from hook.pruning.action import Action, Decision

_STATEFUL_SET = Kind("apps", "StatefulSet")
_CLAIM = Kind("", "PersistentVolumeClaim")


def claims_of(session: Session, decision: Decision) -> list[tuple[str, Identity, str]]:
    """(list of the result, claim, what becomes of it) for a StatefulSet that is about to be deleted; else nothing.

    A manifest may ask for their deletion (`persistentVolumeClaimRetentionPolicy`); then the garbage collector does it.
    What cannot be read is left out: this is for people, and decides nothing.
    """
    identity = decision.identity
    if decision.action is not Action.DELETE or identity.of_kind != _STATEFUL_SET:
        return []
    try:
        whole = session.objects.get(session.require_type(_STATEFUL_SET, "v1"), identity.namespace, identity.name)
        listing = session.objects.list(session.require_type(_CLAIM, "v1"), identity.namespace, metadata_only=True)
    except ApiError as error:
        if error.cause in (Cause.UNAUTHORIZED, Cause.UNTRUSTED):
            raise
        return []
    spec = whole.get("spec") or {}
    templates = [template["metadata"]["name"] for template in spec.get("volumeClaimTemplates") or ()]
    made = re.compile(rf"(?:{'|'.join(map(re.escape, templates))})-{re.escape(identity.name)}-\d+")
    policy = (spec.get("persistentVolumeClaimRetentionPolicy") or {}).get("whenDeleted")
    told, why = (
        ("warnings", f"goes with {identity}, whose persistentVolumeClaimRetentionPolicy says so")
        if policy == "Delete"
        else ("kept", f"made for {identity}, which was pruned; delete it when its data is no longer needed")
    )
    names = [item["metadata"]["name"] for item in listing.items]
    return [
        (told, Identity("", "PersistentVolumeClaim", identity.namespace, name), why)
        for name in sorted(names)
        if templates and made.fullmatch(name)
    ]
