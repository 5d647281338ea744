"""Objects that rendered charts and applications hold, but that are not to be installed now.

Source: Helm's chart hooks (https://helm.sh/docs/topics/charts_hooks/) and Argo CD's resource hooks: where an object
has a hook of Argo CD, its Helm hooks count for nothing.
"""

from __future__ import annotations

from hook.manifests.identity import Object

_HELM = "helm.sh/hook"
_ARGO = "argocd.argoproj.io/hook"
_HELM_INSTALLED = frozenset({"pre-install", "post-install", "pre-upgrade", "post-upgrade", "crd-install"})
_ARGO_INSTALLED = frozenset({"PreSync", "Sync", "PostSync"})
_ARGO_LEFT_OUT = frozenset({"PreDelete", "PostDelete", "SyncFail", "Skip"})


def left_out(obj: Object) -> str | None:
    """Why an object is not installed now: the hook annotation that says so. None for all others.

    With several hooks on one object, a single one that runs at an installation is enough.
    """
    metadata = obj.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return None
    argo = _hooks(annotations.get(_ARGO)) & (_ARGO_INSTALLED | _ARGO_LEFT_OUT)
    if argo:
        return None if argo & _ARGO_INSTALLED else f"{_ARGO}: {','.join(sorted(argo))}"
    helm = _hooks(annotations.get(_HELM))
    if helm and not helm & _HELM_INSTALLED:
        return f"{_HELM}: {','.join(sorted(helm))}"
    return None


def _hooks(value: object) -> frozenset[str]:
    return (
        frozenset(word for part in value.split(",") if (word := part.strip()))
        if isinstance(value, str)
        else frozenset()
    )
