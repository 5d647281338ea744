"""Strays: what carries our mark and is in no record. Reported for people, never pruned: marks can be copied."""

from __future__ import annotations

from collections.abc import Collection

from hook.cluster.answers import ApiError, Cause
from hook.cluster.resource_type import ResourceType
from hook.generations.body import SECRET
from hook.generations.marks import owner_label
from hook.handoff.session import Session
from hook.manifests.identity import Identity

_FATAL = (Cause.UNAUTHORIZED, Cause.UNTRUSTED)


def find_strays(session: Session, known: Collection[Identity]) -> list[Identity]:
    """Everything with our mark that is not `known`, over all kinds that may be listed but Secrets.

    One LIST for each kind: for when a record was lost. What a controller made is left out: it copies labels.
    """
    types = [found for found in session.discovery if "list" in found.verbs and found.of_kind != SECRET]
    marked = f"{owner_label(session.component)}={session.namespace}"
    items = [pair for pairs in session.parallel(lambda found: _marked(session, found, marked), types) for pair in pairs]
    uids = {uid for identity, uid in items if identity in known}
    return sorted({identity for identity, uid in items if identity not in known and uid not in uids})


def _marked(session: Session, found: ResourceType, selector: str) -> list[tuple[Identity, str]]:
    try:
        listing = session.objects.list(found, metadata_only=True, label_selector=selector)
    except ApiError as error:
        if error.cause in _FATAL:
            raise
        return []  # not permitted, or not answering: then it is not known
    return [
        (found.identity(item["metadata"].get("namespace"), item["metadata"]["name"]), item["metadata"]["uid"])
        for item in listing.items
        if not item["metadata"].get("ownerReferences")
    ]
