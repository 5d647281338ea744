"""The first thing that is wrong with a workload's pods, so that nobody has to go and look."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hook.cluster.answers import ApiError
from hook.handoff.related import LiveRelated, NotTold
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.readiness.causes import pod_cause
from hook.readiness.kinds import WORKLOADS

_EVENT = Kind("", "Event")
_REVISIONS = ("pod-template-hash", "controller-revision-hash")
_AGAIN = 3.0  # seconds: pods are asked for to explain, not to decide, so they are not watched


class PodCauses:
    """Reads pods and their Events, and makes do without what it has no right to see."""

    def __init__(self, session: Session, related: LiveRelated) -> None:
        self._session = session
        self._related = related
        self._kept: dict[Identity, tuple[float, str | None]] = {}
        self._events_refused = False

    def first(self, identity: Identity, manifest: Object, *, now: bool = False) -> str | None:
        """The cause in one line that names the pod; None for what has no pods, or where nothing is to be seen.

        It is some seconds old at most, or, with `now`, read for this call.
        """
        if identity.of_kind not in WORKLOADS:
            return None
        at, cause = self._kept.get(identity, (float("-inf"), None))
        if now or time.monotonic() - at >= _AGAIN:
            cause = self._read(manifest)
            self._kept[identity] = (time.monotonic(), cause)
        return cause

    def _read(self, manifest: Object) -> str | None:
        try:
            pods = _newest(self._related.pods_of(manifest) or ())
            return pod_cause(pods, self._events(pods)) if pods else None
        except NotTold:
            return None

    def _events(self, pods: Sequence[Object]) -> list[Object]:
        found = self._session.type_of(_EVENT, "v1")
        if found is None or self._events_refused:
            return []
        try:
            events = self._session.objects.list(
                found, pods[0]["metadata"]["namespace"], field_selector="involvedObject.kind=Pod,type=Warning"
            ).items
        except ApiError:
            self._events_refused = True
            return []
        return sorted(events, key=lambda event: str(event.get("lastTimestamp") or event.get("eventTime") or ""))


def _newest(pods: Sequence[Object]) -> list[Object]:
    """Those of the newest revision: what is wrong with the old ones is not what the new ones wait for."""
    living = [pod for pod in pods if not pod["metadata"].get("deletionTimestamp")]
    if not living:
        return []
    youngest = max(living, key=lambda pod: str(pod["metadata"].get("creationTimestamp")))
    revision = _revision(youngest)
    return [pod for pod in living if _revision(pod) == revision]


def _revision(pod: Object) -> str:
    labels = pod["metadata"].get("labels") or {}
    return next((str(labels[key]) for key in _REVISIONS if key in labels), "")
