"""An answer that says 200 but is not this object: deletion needs its uid and resourceVersion."""

from __future__ import annotations

from collections.abc import Mapping

from hook.manifests.identity import Object
from hook.pruning.action import Action, Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import Present


def odd(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    fault = _fault(candidate, live.metadata)
    if not fault:
        return None
    return Decision(Action.UNKNOWN, candidate.identity, f"the API server's answer cannot be trusted: {fault}")


def _fault(candidate: Candidate, metadata: Object) -> str:
    named = (metadata.get("namespace") or "", metadata.get("name"))
    if named != (candidate.identity.namespace, candidate.identity.name):
        return "it names another object"
    for field in ("uid", "resourceVersion"):
        value = metadata.get(field)
        if not isinstance(value, str) or not value:
            return f"no {field}"
    for field in ("labels", "annotations"):
        texts = metadata.get(field) or {}
        if not isinstance(texts, Mapping) or not all(isinstance(text, str) for text in texts.values()):
            return f"{field} is no map of texts"
    for field in ("ownerReferences", "managedFields"):
        entries = metadata.get(field) or []
        if not isinstance(entries, list) or not all(isinstance(each, Mapping) for each in entries):
            return f"{field} is no list of objects"
    return ""
