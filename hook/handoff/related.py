"""What readiness may look at besides the object itself: followed by a watch, or read and kept for a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from hook.cluster.answers import ApiError, Cause
from hook.handoff.endpoints import EndpointsFollowed, ready_endpoints
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object, identify
from hook.readiness.fields import OddField
from hook.readiness.related import MISSING, Missing
from hook.readiness.volumes import mounts_claim

T = TypeVar("T")

_KEEP = 0.5  # seconds
_ALWAYS = float("inf")
_SERVICE = Kind("", "Service")
_POD = Kind("", "Pod")
_STORAGE_CLASS = Kind("storage.k8s.io", "StorageClass")
_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_LONG_AGO = 3600.0


class NotTold(Exception):
    """Something could not be looked at just now: what hangs on it is neither ready nor gone."""


class LiveRelated:
    """See `Related`. Raises NotTold where no answer can be had now, and ApiError where waiting cannot help.

    What the rights of a namespace do not let us see of the cluster as a whole is None: cannot tell. Without
    `followed` everything is read when asked for.
    """

    def __init__(
        self, session: Session, desired: Mapping[Identity, Object], followed: EndpointsFollowed | None = None
    ) -> None:
        self._session = session
        self._desired = desired
        self._followed = followed
        self._kept: dict[tuple[Any, ...], tuple[float, Any]] = {}

    def service(self, namespace: str, name: str) -> Object | Missing | None:
        return self._once(("service", namespace, name), lambda: self._get(_SERVICE, "v1", namespace, name))

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        if self._followed is not None and (count := self._followed.ready(namespace, service)) is not None:
            return count
        return self._once(("endpoints", namespace, service), lambda: ready_endpoints(self._session, namespace, service))

    def pods_of(self, obj: Mapping[str, Any]) -> Sequence[Object] | None:
        spec = obj.get("spec") or {}
        selector = spec.get("selector") or {}
        labels = selector.get("matchLabels", selector) if isinstance(selector, Mapping) else {}
        if not isinstance(labels, Mapping) or not labels:
            return None
        chosen = ",".join(f"{key}={value}" for key, value in sorted(labels.items()) if isinstance(value, str))
        namespace = obj["metadata"].get("namespace") or ""
        return self._once(("pods", namespace, chosen), lambda: self._pods(namespace, chosen), optional=True)

    def storage_class_mode(self, name: str | None) -> str | None:
        return self._once(("class", name), lambda: self._class_mode(name), optional=True)

    def claim_is_mounted(self, namespace: str, name: str) -> bool | None:
        return any(_mounts(manifest, namespace, name) for manifest in self._desired.values())

    def served(self, group: str, version: str, kind: str) -> bool | None:
        if self._session.discovery.served(group, version, kind):
            return True
        self._once(("discovery",), self._refresh, keep=_KEEP / 4)
        return self._session.discovery.served(group, version, kind)

    def has_status(self, kind: Kind, version: str) -> bool | None:
        return self._once(
            ("schema", kind, version), lambda: self._schema_has_status(kind, version), keep=_ALWAYS, optional=True
        )

    def age_seconds(self, obj: Mapping[str, Any]) -> float | None:
        applied = self._session.applied_at.get(identify(obj))
        if applied is not None:
            return time.monotonic() - applied
        # Not written by this run. An earlier one, killed, may have done so a moment ago.
        times = [
            entry["time"]
            for entry in obj["metadata"].get("managedFields") or ()
            if entry.get("manager") == self._session.manager and "time" in entry
        ]
        if not times:
            return _LONG_AGO
        written = max(datetime.fromisoformat(one) for one in times)
        return max(0.0, (datetime.now(UTC) - written).total_seconds())

    def _once(
        self, key: tuple[Any, ...], ask: Callable[[], T], *, keep: float = _KEEP, optional: bool = False
    ) -> T | None:
        """`optional`: what we have no right to see is None, which is warned about once."""
        at, kept = self._kept.get(key, (float("-inf"), None))
        value: T | None = kept
        if time.monotonic() - at < keep:
            return value
        try:
            value = ask()
        except ApiError as error:
            if optional and error.cause is Cause.FORBIDDEN:
                self._session.journal.note("warnings", error.object, f"it could not be looked at: {error.message}")
                value, keep = None, _ALWAYS
            elif error.cause in (Cause.FORBIDDEN, Cause.UNAUTHORIZED, Cause.UNTRUSTED):
                raise
            else:
                raise NotTold(error.message) from error
        self._kept[key] = (time.monotonic() if keep < _ALWAYS else _ALWAYS, value)
        return value

    def _get(self, kind: Kind, version: str, namespace: str, name: str) -> Object | Missing:
        try:
            return self._session.objects.get(self._session.require_type(kind, version), namespace, name)
        except ApiError as error:
            if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
                return MISSING
            raise

    def _pods(self, namespace: str, selector: str) -> list[Object]:
        found = self._session.require_type(_POD, "v1")
        return self._session.objects.list(found, namespace, label_selector=selector).items

    def _class_mode(self, name: str | None) -> str | None:
        found = self._session.require_type(_STORAGE_CLASS, "v1")
        if name is not None:
            one = self._get(_STORAGE_CLASS, "v1", "", name)
            return None if one is MISSING else str(one.get("volumeBindingMode") or "Immediate")
        for item in self._session.objects.list(found).items:
            if (item["metadata"].get("annotations") or {}).get(_DEFAULT_CLASS) == "true":
                return str(item.get("volumeBindingMode") or "Immediate")
        return None

    def _refresh(self) -> bool:
        self._session.refresh_discovery()
        return True

    def _schema_has_status(self, kind: Kind, version: str) -> bool | None:
        found = self._session.type_of(kind, version)
        if found is None:
            return None
        crd = self._get(_CRD, "v1", "", f"{found.plural}.{kind.group}")
        if crd is MISSING:
            return None
        for entry in crd["spec"].get("versions") or ():
            if entry.get("name") == version:
                schema = (entry.get("schema") or {}).get("openAPIV3Schema") or {}
                return "status" in (schema.get("properties") or {})
        return None


def _mounts(manifest: Object, namespace: str, name: str) -> bool:
    try:
        return mounts_claim(manifest, namespace, name)
    except OddField:  # the API server says what is wrong with it
        return False
