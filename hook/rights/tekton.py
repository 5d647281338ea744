"""Rights on TektonInstallerSets, and on what a run looks at and keeps because of them."""

from __future__ import annotations

from collections.abc import Iterator

from hook.rights.right import Need, Needed, Right

_GROUP = "operator.tekton.dev"


def save_name(component: str) -> str:
    """The Secret in which the manifests of old sets are saved."""
    return f"handoff-{component}-tekton-sets"


def tekton_rights(component: str, namespace: str) -> Iterator[Needed]:
    """For a component whose resources the Tekton operator keeps; names of its sets hold a digest."""
    why = "The Tekton operator's sets, by which it keeps the component."
    for verb in ("get", "list", "create", "patch", "delete"):
        yield Needed(Right(_GROUP, "tektoninstallersets", verb, ""), Need.RUN, why)
    why = "Whether the Tekton operator's component reconciler runs, which would undo the handoff."
    yield Needed(Right("apps", "deployments", "list", ""), Need.RUN, why)
    why = "The manifests of the old sets, saved before they are touched. What is created by POST has no name yet."
    yield Needed(Right("", "secrets", "create", namespace), Need.RUN, why)
    for verb in ("get", "update", "delete"):
        yield Needed(Right("", "secrets", verb, namespace, save_name(component)), Need.RUN, why)


# The operator's component custom resources, whose existence decides whether their reconcilers would interfere.
_COMPONENTS = (
    "manualapprovalgates",
    "tektonaddons",
    "tektonchains",
    "tektonconfigs",
    "tektondashboards",
    "tektonhubs",
    "tektonpipelines",
    "tektonpruners",
    "tektonresults",
    "tektonschedulers",
    "tektontriggers",
)


def component_rights() -> Iterator[Needed]:
    """Whatever the sets were made for: which of these it is, their labels say in the cluster."""
    why = "Whether the custom resource exists for which the operator made the old sets."
    for plural in _COMPONENTS:
        for verb in ("get", "list"):
            yield Needed(Right(_GROUP, plural, verb, ""), Need.RUN, why)
