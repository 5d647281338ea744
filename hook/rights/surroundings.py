"""Rights on what is around the component: its pods, the endpoints of its Services, what explains a hold-up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hook.generations.replicas import AUTOSCALER, SCALABLE, scale_targets
from hook.manifests.identity import Kind
from hook.manifests.manifest import Manifest
from hook.manifests.references import called_services
from hook.readiness.annotations import ENDPOINTS, wait_for
from hook.readiness.fields import OddField
from hook.readiness.kinds import WORKLOADS, is_built_in
from hook.rights.kinds import builtin_plural
from hook.rights.resources import Plural
from hook.rights.right import Need, Needed, Right

_SERVICE = Kind("", "Service")
_CLAIM = Kind("", "PersistentVolumeClaim")
_STATEFUL_SET = Kind("apps", "StatefulSet")
_ROLLED = frozenset(Kind("apps", name) for name in ("Deployment", "StatefulSet", "DaemonSet"))
_CRD = "apiextensions.k8s.io"


def pod_rights(manifests: Iterable[Manifest]) -> Iterator[Needed]:
    """To know when the old pods are gone."""
    for manifest in manifests:
        if manifest.identity.of_kind in _ROLLED:
            right = Right("", "pods", "list", manifest.identity.namespace)
            yield Needed(right, Need.RUN, "Pods: whether the old ones are gone, and why a new one does not start.")


def switch_rights(manifests: Iterable[Manifest]) -> Iterator[Needed]:
    """For Services whose selector changes: each goes over when a pod that the new one matches is Ready."""
    for manifest in manifests:
        if manifest.identity.of_kind == _SERVICE and (manifest.obj.get("spec") or {}).get("selector"):
            for verb in ("list", "watch"):
                right = Right("", "pods", verb, manifest.identity.namespace)
                yield Needed(right, Need.RUN, "Pods that a Service is to go over to.")


def endpoint_rights(manifests: Iterable[Manifest]) -> Iterator[Needed]:
    """For Services that the API server calls, and those that are ready with endpoints only."""
    for manifest in manifests:
        called = called_services(manifest.obj)
        for namespace, name in called:
            why = "Services that the API server calls."
            yield Needed(Right("", "services", "get", namespace, name), Need.RUN, why)
        namespaces = {namespace for namespace, _ in called}
        if manifest.identity.of_kind == _SERVICE and _waits_for_endpoints(manifest):
            namespaces.add(manifest.identity.namespace)
        for namespace in sorted(namespaces):
            for verb in ("list", "watch"):
                right = Right("discovery.k8s.io", "endpointslices", verb, namespace)
                yield Needed(right, Need.RUN, "Whether a Service has a ready endpoint.")


def scale_rights(manifests: Iterable[Manifest]) -> Iterator[Needed]:
    """For workloads that an autoscaler from somewhere else may scale; those of the input itself are known."""
    listed = list(manifests)
    known = scale_targets(manifest.obj for manifest in listed)
    for manifest in listed:
        if manifest.identity.of_kind in SCALABLE and manifest.identity not in known:
            right = Right(AUTOSCALER.group, builtin_plural(AUTOSCALER.kind), "list", manifest.identity.namespace)
            why = "Optional: who sets the replicas of a workload. Without it an autoscaler shows once it has scaled."
            yield Needed(right, Need.OPTIONAL, why)


def explanation_rights(manifests: Iterable[Manifest], plural: Plural, defined: Iterable[Kind]) -> Iterator[Needed]:
    """To tell more than a run must know. `defined` are the kinds whose definitions are among the manifests."""
    known = set(defined)
    for manifest in manifests:
        identity, kind = manifest.identity, manifest.identity.of_kind
        if kind in WORKLOADS:
            why = "Optional: to say why a pod does not start, and what holds the deletion of a workload up."
            for group, what in (("", "events"), ("", "pods"), ("apps", "replicasets"), ("batch", "jobs")):
                yield Needed(Right(group, what, "list", identity.namespace), Need.OPTIONAL, why)
        if kind == _STATEFUL_SET:
            why = "Optional: to name the claims that stay when a StatefulSet goes."
            yield Needed(Right("", "persistentvolumeclaims", "list", identity.namespace), Need.OPTIONAL, why)
        if kind == _CLAIM:
            why = "Optional: a claim whose class binds it to its first consumer is not waited for."
            name = (manifest.obj.get("spec") or {}).get("storageClassName")
            right = Right("storage.k8s.io", "storageclasses", "get" if name else "list", "", str(name or ""))
            yield Needed(right, Need.OPTIONAL, why)
        if not is_built_in(kind):
            if kind not in known:
                why = "Optional: whether a custom resource has a status at all."
                right = Right(_CRD, "customresourcedefinitions", "get", "", f"{plural(kind)}.{kind.group}")
                yield Needed(right, Need.OPTIONAL, why)
            why = "Optional: that a kind which is served no more is removed for good."
            for verb in ("get", "list"):
                yield Needed(Right(_CRD, "customresourcedefinitions", verb, ""), Need.OPTIONAL, why)
            yield Needed(Right("apiregistration.k8s.io", "apiservices", "list", ""), Need.OPTIONAL, why)


def _waits_for_endpoints(manifest: Manifest) -> bool:
    try:
        return ENDPOINTS in wait_for(manifest.obj)
    except OddField:
        return False
