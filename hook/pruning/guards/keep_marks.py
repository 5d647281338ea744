"""Annotations by which people of this ecosystem say: do not prune this object. Read from the live object.

Sources: Helm's `helm.sh/resource-policy`, Argo CD's resource sync options, Flux's kustomize-controller.
"""

from __future__ import annotations

from hook.generations.marks import API_GROUP
from hook.manifests.identity import Object
from hook.pruning.action import Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.guards.retention import kept
from hook.pruning.reading import Present

PRUNE = f"{API_GROUP}/prune"
_HELM = "helm.sh/resource-policy"
_ARGO = "argocd.argoproj.io/sync-options"
_FLUX = "kustomize.toolkit.fluxcd.io/prune"
# `confirm` asks for a person's word, which a run cannot have.
_ARGO_PRUNE = {"prune=false", "prune=confirm"}
_ARGO_DELETE = {"delete=false", "delete=confirm"}


def keep_marks(candidate: Candidate, live: Present, context: PruneContext) -> Decision | None:
    mark = keep_mark(live.metadata, removing=context.removing)
    return kept(candidate, live, context, f"marked {mark}") if mark else None


def keep_mark(metadata: Object, *, removing: bool = False) -> str:
    """The first keep mark on an object as `key: value`, or "".

    With `removing`, what Argo CD keeps when a whole application is deleted counts too.
    """
    annotations, labels = metadata.get("annotations") or {}, metadata.get("labels") or {}
    for key, keeping in ((PRUNE, "disabled"), (_HELM, "keep"), (_FLUX, "disabled")):
        if _folded(annotations.get(key)) == keeping:
            return f"{key}: {keeping}"
    if _folded(labels.get(_FLUX)) == "disabled":  # Flux reads it from labels as well
        return f"{_FLUX}: disabled"
    options = {_folded(option) for option in str(annotations.get(_ARGO) or "").split(",")}
    if options & (_ARGO_PRUNE | _ARGO_DELETE if removing else _ARGO_PRUNE):
        return f"{_ARGO}: {annotations[_ARGO]}"
    return ""


def _folded(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else ""
