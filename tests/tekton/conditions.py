"""The conditions of a set, kept as Knative's living condition sets keep them."""

from __future__ import annotations

import copy
from datetime import UTC, datetime
from typing import Any

Condition = dict[str, str]
READY = "Ready"
# operator: pkg/apis/operator/v1alpha1/tektoninstallerset_lifecycle.go, in the order of one pass.
DEPENDENTS = (
    "CrdsInstalled",
    "ClusterScopedResourcesInstalled",
    "NamespaceScopedResourcesInstalled",
    "JobsInstalled",
    "DeploymentsAvailable",
    "StatefulSetReady",
    "WebhooksReady",
    "ControllersReady",
    "AllDeploymentsReady",
)


class Conditions:
    """No generation is ever noted with them: after an edit they may speak of the manifests before it."""

    def __init__(self, conditions: list[Condition] | None) -> None:
        self._conditions = {condition["type"]: copy.deepcopy(condition) for condition in conditions or []}

    def initialize(self) -> None:
        """What is not there yet becomes Unknown; what is there stays, so Ready outlives a change of the manifests."""
        ready = self._conditions.get(READY)
        if ready is None:
            self._set(READY, "Unknown")
        missing = "True" if ready is not None and ready["status"] == "True" else "Unknown"
        for dependent in DEPENDENTS:
            if dependent not in self._conditions:
                self._set(dependent, missing)

    def mark_true(self, dependent: str) -> None:
        """Ready becomes what the others say: one that is False first, the last changed of several; then Unknown."""
        self._set(dependent, "True")
        unhappy = self._unhappy()
        if unhappy is None:
            self._set(READY, "True")
        else:
            self._set(READY, unhappy["status"], unhappy.get("reason", ""), unhappy.get("message", ""))

    def mark_failed(self, dependent: str, message: str) -> None:
        """Ready is False with the same words."""
        for condition in (dependent, READY):
            self._set(condition, "False", "Error", message)

    def as_list(self) -> list[Condition]:
        """knative.dev/pkg/apis/condition_set.go: sorted by type."""
        return [self._conditions[condition] for condition in sorted(self._conditions)]

    def _unhappy(self) -> Condition | None:
        dependents = [self._conditions[name] for name in DEPENDENTS if name in self._conditions]
        dependents.sort(key=lambda condition: condition["lastTransitionTime"], reverse=True)
        for status in ("False", "Unknown"):
            for condition in dependents:
                if condition["status"] == status:
                    return condition
        return None

    def _set(self, kind: str, status: str, reason: str = "", message: str = "") -> None:
        new = {"type": kind, "status": status, "reason": reason, "message": message}
        new = {key: value for key, value in new.items() if value}
        old: dict[str, Any] = dict(self._conditions.get(kind, {}))
        old.pop("lastTransitionTime", None)
        if old != new:
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._conditions[kind] = {**new, "lastTransitionTime": now}
