"""Objects of one file as each other's related objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, ParamSpec, TypeVar

from hook.manifests.identity import Kind, Object, split_api_version
from hook.readiness.endpoints import is_ready_pod, ready_in_endpoints, ready_in_slice
from hook.readiness.fields import OddField, count, mapping, text
from hook.readiness.related import Missing
from hook.readiness.selectors import matches, selects
from hook.readiness.volumes import mounts_claim, pod_labels

T = TypeVar("T")
P = ParamSpec("P")

_POD: Final = Kind("", "Pod")
_SERVICE: Final = Kind("", "Service")
_STORAGE_CLASS: Final = Kind("storage.k8s.io", "StorageClass")
_SLICE: Final = Kind("discovery.k8s.io", "EndpointSlice")
_ENDPOINTS: Final = Kind("", "Endpoints")
_EVENTS: Final = (Kind("", "Event"), Kind("events.k8s.io", "Event"))
# A Deployment's ReplicaSets count the same pods as the Deployment.
_SERVING: Final = tuple(Kind("apps", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet"))
_DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"


class FileRelated:
    """Related objects of which nothing is known but a file.

    What only a cluster could tell (discovery, a schema, an age, a Service or a StorageClass that is not in the
    file) is answered by None. Odd objects in the file answer nothing.
    """

    def __init__(self, objects: Sequence[Any]) -> None:
        self._by_kind: dict[Kind, list[Object]] = {}
        for obj in objects:
            if _readable(obj):
                group, _ = split_api_version(obj["apiVersion"])
                self._by_kind.setdefault(Kind(group, obj["kind"]), []).append(obj)

    @property
    def events(self) -> list[Object]:
        """The Events of the file, in its order."""
        return [event for kind in _EVENTS for event in self._by_kind.get(kind, [])]

    def service(self, namespace: str, name: str) -> Object | Missing | None:
        return next((s for s in self._in(_SERVICE, namespace) if s["metadata"]["name"] == name), None)

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        slices = [one for one in self._in(_SLICE, namespace) if _unless_odd(None, _service_of, one) == service]
        if slices:
            return sum(_unless_odd(0, ready_in_slice, one) for one in slices)
        for one in self._in(_ENDPOINTS, namespace):
            if one["metadata"]["name"] == service:
                return _unless_odd(0, ready_in_endpoints, one)
        found = self.service(namespace, service)
        selector = _unless_odd({}, _selector, found) if isinstance(found, dict) else {}
        if not selector:
            return None
        pods = sum(_unless_odd(False, is_ready_pod, pod) for pod in self._selected(namespace, selector))
        return max(pods, self._replicas(namespace, selector, "readyReplicas", "numberReady"))

    def pods_of(self, obj: Mapping[str, Any]) -> Sequence[Object] | None:
        namespace = _unless_odd("", _namespace, obj)
        selector = _unless_odd({}, _selector, obj)
        if obj.get("kind") != "Service":
            return [p for p in self._in(_POD, namespace) if _unless_odd(False, _matched, selector, p)]
        pods = self._selected(namespace, selector)
        # Workloads whose Pods are not in the file: there may be some, only a cluster can tell.
        if not pods and self._replicas(namespace, selector, "replicas", "currentNumberScheduled"):
            return None
        return pods

    def storage_class_mode(self, name: str | None) -> str | None:
        for one in self._by_kind.get(_STORAGE_CLASS, []):
            if one["metadata"]["name"] == name if name else _unless_odd(False, _is_default, one):
                return _unless_odd("", text, one, "volumeBindingMode") or "Immediate"
        return None

    def claim_is_mounted(self, namespace: str, name: str) -> bool | None:
        everything = (obj for objects in self._by_kind.values() for obj in objects)
        return any(_unless_odd(False, mounts_claim, obj, namespace, name) for obj in everything)

    def served(self, group: str, version: str, kind: str) -> bool | None:
        return None

    def has_status(self, kind: Kind, version: str) -> bool | None:
        return None

    def age_seconds(self, obj: Mapping[str, Any]) -> float | None:
        return None

    def _in(self, kind: Kind, namespace: str) -> Iterator[Object]:
        return (obj for obj in self._by_kind.get(kind, []) if (obj["metadata"].get("namespace") or "") == namespace)

    def _selected(self, namespace: str, selector: Mapping[str, Any]) -> list[Object]:
        return [p for p in self._in(_POD, namespace) if _unless_odd(False, _selected_by, selector, p)]

    def _replicas(self, namespace: str, selector: Mapping[str, Any], *keys: str) -> int:
        """The sum of what matching workloads of the file publish under these keys (kinds differ in their keys)."""
        return sum(
            _unless_odd(0, _published, obj, selector, keys) for kind in _SERVING for obj in self._in(kind, namespace)
        )


def _unless_odd(otherwise: T, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The answer; `otherwise` if the object that was asked is odd."""
    try:
        return ask(*args, **kwargs)
    except OddField:
        return otherwise


def _readable(obj: Any) -> bool:
    if not isinstance(obj, dict):
        return False
    metadata = obj.get("metadata")
    return (
        isinstance(obj.get("apiVersion"), str)
        and isinstance(obj.get("kind"), str)
        and isinstance(metadata, dict)
        and isinstance(metadata.get("name"), str)
    )


def _namespace(obj: Mapping[str, Any]) -> str:
    return text(mapping(obj, "metadata"), "namespace")


def _labels(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(obj, "metadata"), "labels", "metadata")


def _selector(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(mapping(obj, "spec"), "selector", "spec")


def _service_of(endpoint_slice: Mapping[str, Any]) -> str | None:
    return text(_labels(endpoint_slice), "kubernetes.io/service-name")


def _selected_by(selector: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    return selects(selector, _labels(pod))


def _matched(selector: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:
    return matches(selector, _labels(pod))


def _published(workload: Mapping[str, Any], selector: Mapping[str, Any], keys: Sequence[str]) -> int:
    if not selects(selector, pod_labels(workload)):
        return 0
    return sum(count(mapping(workload, "status"), key, 0) for key in keys)


def _is_default(storage_class: Mapping[str, Any]) -> bool:
    annotations = mapping(mapping(storage_class, "metadata"), "annotations", "metadata")
    return annotations.get(_DEFAULT_CLASS) == "true"
