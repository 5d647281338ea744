"""Live objects as the API server gives them, complete unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hook.manifests.identity import Kind, Object
from hook.readiness.assess import assess
from hook.readiness.related import Missing
from hook.readiness.state import Readiness, State


@dataclass
class Told:
    """Related objects as a test tells them; None: cannot tell."""

    services: dict[tuple[str, str], Object | Missing] = field(default_factory=dict)
    endpoints: dict[tuple[str, str], int] = field(default_factory=dict)
    pods: Sequence[Object] | None = None
    mode: str | None = None
    mounted: bool | None = None
    served_kinds: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    status_in_schema: bool | None = None
    age: float | None = None

    def service(self, namespace: str, name: str) -> Object | Missing | None:
        return self.services.get((namespace, name))

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        return self.endpoints.get((namespace, service))

    def pods_of(self, obj: Mapping[str, Any]) -> Sequence[Object] | None:
        return self.pods

    def storage_class_mode(self, name: str | None) -> str | None:
        return self.mode

    def claim_is_mounted(self, namespace: str, name: str) -> bool | None:
        return self.mounted

    def served(self, group: str, version: str, kind: str) -> bool | None:
        return self.served_kinds.get((group, version, kind))

    def has_status(self, kind: Kind, version: str) -> bool | None:
        return self.status_in_schema

    def age_seconds(self, obj: Mapping[str, Any]) -> float | None:
        return self.age


def judged(obj: Any, **told: Any) -> Readiness:
    return assess(obj, Told(**told))


def state(obj: Any, **told: Any) -> State:
    return judged(obj, **told).state


def condition(type_: str, status: Any = "True", reason: str = "", **more: Any) -> Object:
    return {"type": type_, "status": status, "reason": reason, **more}


def live(api_version: str, kind: str, /, **parts: Any) -> Object:
    """An object of generation 2 named ns/x; `metadata` is added to, other parts are taken as they are."""
    metadata = {"name": "x", "namespace": "ns", "uid": "u", "generation": 2, **parts.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


def deployment(spec: Object | None = None, /, **status: Any) -> Object:
    """Three pods, all updated and available."""
    counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 3)
    done = [condition("Available"), condition("Progressing", reason="NewReplicaSetAvailable")]
    return live(
        "apps/v1",
        "Deployment",
        spec={"replicas": 3, "progressDeadlineSeconds": 600, **(spec or {})},
        status=_without_none({"observedGeneration": 2, **counts, "conditions": done, **status}),
    )


def stateful_set(spec: Object | None = None, /, **status: Any) -> Object:
    """Three pods, all at revision b and ready, rolled without a partition."""
    counts = dict.fromkeys(("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"), 3)
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
    return live(
        "apps/v1",
        "StatefulSet",
        spec=_without_none({"replicas": 3, "updateStrategy": rolling, **(spec or {})}),
        status=_without_none(
            {"observedGeneration": 2, **counts, "currentRevision": "b", "updateRevision": "b", **status}
        ),
    )


def daemon_set(spec: Object | None = None, /, **status: Any) -> Object:
    """Three nodes, each with an updated and available pod."""
    keys = (
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberReady",
    )
    return live(
        "apps/v1",
        "DaemonSet",
        spec=spec or {},
        status=_without_none({"observedGeneration": 2, **dict.fromkeys(keys, 3), **status}),
    )


def widget(**status: Any) -> Object:
    """A custom resource."""
    return live("example.org/v1", "Widget", spec={}, status=status)


def _without_none(parts: Object) -> Object:
    return {key: value for key, value in parts.items() if value is not None}
