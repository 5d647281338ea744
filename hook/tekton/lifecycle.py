"""The operator's component reconcilers: as long as they run, they undo a handoff of what they manage.

The operator's pod has two containers. `tekton-operator-lifecycle` reconciles the component custom resources: it takes a
third set with its labels for broken state and deletes all of them, and it builds its own sets anew where it finds none.
`tekton-operator-cluster-operations` reconciles the sets alone, and is what a handoff needs.
"""

from __future__ import annotations

from collections.abc import Iterable

from hook.cluster.answers import ApiError, Cause
from hook.errors import Refused, RightsMissing
from hook.handoff.session import Session
from hook.manifests.identity import Kind
from hook.tekton.installer_set import CREATED_BY, GROUP, VERSION, TektonInstallerSet

CONTAINER = "tekton-operator-lifecycle"
_DEPLOYMENT = Kind("apps", "Deployment")


def check_lifecycle(session: Session, sets: Iterable[TektonInstallerSet]) -> None:
    """Raises Refused where a component reconciler runs and has a custom resource that these sets were made for."""
    resource = _component_resource(session, sets)
    if resource is None:
        return
    for name in _running(session):
        namespace, _, deployment = name.partition("/")
        patch = f'{{"spec":{{"template":{{"spec":{{"containers":[{{"name":"{CONTAINER}","$patch":"delete"}}]}}}}}}}}'
        raise Refused(
            f"Deployment {name} runs the container {CONTAINER}, which reconciles {resource} and would undo this "
            "handoff, or delete both generations; stop that container, and leave the one that reconciles "
            "TektonInstallerSets",
            [f"kubectl -n {namespace} patch deployment {deployment} -p '{patch}'"],
        )


def _component_resource(session: Session, sets: Iterable[TektonInstallerSet]) -> str | None:
    """`TektonPipeline pipeline`: a custom resource that the sets were made for, and that exists."""
    kinds = {one.labels.get(CREATED_BY, "") for one in sets}
    kinds |= {str(owner.get("kind")) for one in sets for owner in one.owners if owner.get("controller")}
    for kind in sorted(kinds - {""}):
        found = session.type_of(Kind(GROUP, kind), VERSION)
        if found is None:
            continue
        for item in session.objects.list(found, metadata_only=True).items:
            return f"{kind} {item['metadata']['name']}"
    return None


def _running(session: Session) -> list[str]:
    found = session.require_type(_DEPLOYMENT, "v1")
    try:
        listing = session.objects.list(found)
    except ApiError as error:
        if error.cause is Cause.FORBIDDEN:
            raise RightsMissing(
                "whether the Tekton operator's component reconciler runs cannot be told; grant `list` on "
                f"deployments.apps in all namespaces ({error.message})"
            ) from error
        raise
    return [
        f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        for item in listing.items
        if any(one.get("name") == CONTAINER for one in item["spec"]["template"]["spec"].get("containers") or ())
        and (item["spec"].get("replicas", 1) or (item.get("status") or {}).get("replicas"))
    ]
