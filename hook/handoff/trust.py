"""Trust: new certificates of webhooks and APIs are trusted before the first pod can answer with one."""

from __future__ import annotations

from collections.abc import Iterable

from hook.cluster.answers import ApiError, Cause
from hook.errors import Unreachable
from hook.generations.carry.certificates import trusted_ahead
from hook.handoff.planning import Act, Step
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object

_ADMISSION = "admissionregistration.k8s.io"
# CustomResourceDefinitions come in the first wave anyway, with old and new certificates.
_CALLERS = frozenset(
    {
        Kind("apiregistration.k8s.io", "APIService"),
        Kind(_ADMISSION, "MutatingWebhookConfiguration"),
        Kind(_ADMISSION, "ValidatingWebhookConfiguration"),
    }
)
_TRIES = 6


def trust(session: Session, steps: Iterable[Step]) -> dict[Identity, Object]:
    """Add the new CA certificates to the live bundles of what is applied only after the workloads.

    What else the manifests say of these objects comes in their wave, which replaces the bundle again. Returns the
    objects that were changed, as they are now.
    """
    changes = [s for s in steps if s.act is Act.CHANGE and s.carried is not None and s.identity.of_kind in _CALLERS]
    trusting = session.parallel(lambda step: (step.identity, _trust(session, step)), changes)
    return {identity: live for identity, live in trusting if live is not None}


def _trust(session: Session, step: Step) -> Object | None:
    identity = step.identity
    for _ in range(_TRIES):
        try:
            live = session.objects.get(step.type, identity.namespace, identity.name)
            ahead = trusted_ahead(step.manifest.obj, live)
            if not ahead or live["metadata"].get("deletionTimestamp"):
                return None
            operations: list[Object] = [
                {
                    "op": "replace",
                    "path": "/metadata/resourceVersion",
                    "value": live["metadata"]["resourceVersion"],
                },
                *(
                    {"op": "replace", "path": "/" + "/".join(map(str, path)), "value": bundle}
                    for path, bundle in ahead.items()
                ),
            ]
            changed = session.objects.json_patch(
                step.type, identity.namespace, identity.name, operations, session.manager
            )
        except ApiError as error:
            if error.cause is Cause.NOT_FOUND:
                return None  # its wave looks again
            if error.cause is not Cause.STALE:
                raise
        else:
            session.journal.note("carried", identity, "the new CA certificates are trusted beside the old ones")
            return changed
    raise Unreachable(f"{identity} is changed by somebody all the time; run again")
