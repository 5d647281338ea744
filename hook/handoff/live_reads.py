"""One fresh read of a candidate, told apart as pruning needs it: there, gone, removed, unknown or forbidden."""

from __future__ import annotations

from hook.cluster.answers import ApiError, Cause
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.pruning.reading import Absent, ApiRemoved, Forbidden, LiveRead, Present, Unknown

_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_API_SERVICE = Kind("apiregistration.k8s.io", "APIService")
# Causes that end the run whatever it was about; the others are an answer about this one object.
_FATAL = (Cause.UNAUTHORIZED, Cause.UNTRUSTED)
# Seconds for which a group that does not answer is asked again: the other groups wait for it.
_PATIENCE = 10.0


def read_live(session: Session, identity: Identity, version: str) -> LiveRead:
    """Read one candidate's metadata, at another version where the recorded one is served no more."""
    found = session.type_of(identity.of_kind, version)
    if found is None:
        return _not_served(session, identity)
    if found.namespaced != bool(identity.namespace):
        # Whoever says so now, the record was written from what was applied: a hole in discovery, or another CRD.
        return Unknown(f"{identity.of_kind} is {'namespaced' if found.namespaced else 'cluster-scoped'} now")
    try:
        answer = session.objects.get(found, identity.namespace, identity.name, metadata_only=True, patience=_PATIENCE)
    except ApiError as error:
        if error.cause in _FATAL:
            raise
        if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            return Absent()
        if error.cause is Cause.PATH_NOT_FOUND:
            session.refresh_discovery()
            if session.type_of(identity.of_kind, version) is None:
                return _not_served(session, identity)
            return Unknown(error.message)
        if error.cause is Cause.FORBIDDEN:
            return Forbidden(error.message)
        return Unknown(error.message)
    return Present(answer["metadata"], found.version)


def _not_served(session: Session, identity: Identity) -> LiveRead:
    """Nothing serves the kind: removed for good only if no CRD and no APIService could bring it back."""
    kind = identity.of_kind
    if kind.group in session.discovery.stale_groups or session.discovery.is_unknown(kind):
        return Unknown(f"API group {kind.group} is not available now")
    try:
        crds = _definitions(session, kind.group)
        services = session.objects.list(session.require_type(_API_SERVICE, "v1")).items
    except ApiError as error:
        if error.cause is Cause.FORBIDDEN:
            return Forbidden(f"{kind} is not served, and whether it is removed cannot be told: {error.message}")
        return Unknown(error.message)
    for crd in crds:
        if crd["spec"]["names"]["kind"] == kind.kind:
            return Unknown(f"CustomResourceDefinition {crd['metadata']['name']} exists but {kind} is not served")
    for service in services:
        spec = service.get("spec") or {}
        if spec.get("group") == kind.group and spec.get("service"):
            return Unknown(f"APIService {service['metadata']['name']} exists but {kind} is not served")
    return ApiRemoved()


def _definitions(session: Session, group: str) -> list[Object]:
    """The CRDs of a group, whole. Their names end with it, so that no other one has to be read."""
    found = session.require_type(_CRD, "v1")
    names = [item["metadata"]["name"] for item in session.objects.list(found, metadata_only=True).items]
    definitions = []
    for name in names:
        if name.partition(".")[2] == group:
            try:
                definitions.append(session.objects.get(found, "", name))
            except ApiError as error:
                if error.cause is not Cause.NOT_FOUND:
                    raise
    return definitions
