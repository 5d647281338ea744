"""When the operator takes workloads for ready: early, and on the word of a single condition or number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tests.tekton.live import Live

Object = dict[str, Any]


class NotReady(Exception):
    """The text says what is not."""


def webhooks(name: str) -> bool:
    """operator: install.go:IsWebhookReady: which Deployments these are, their names decide."""
    return "webhook" in name


def controllers(name: str) -> bool:
    """operator: install.go:IsControllerReady"""
    return "controller" in name


def all_others(name: str) -> bool:
    """operator: install.go:AllDeploymentsReady"""
    return not webhooks(name) and not controllers(name)


def require_deployments(live: Live, manifests: Iterable[Object], chosen: Callable[[str], bool]) -> None:
    """operator: install.go:isDeploymentReady. Available is enough: a rollout that has not begun, or hangs, passes.

    One whose pods are refused is deleted. Raises NotReady, and ApiError.
    """
    for manifest in manifests:
        name = manifest["metadata"]["name"]
        if not chosen(name):
            continue
        found = live.get(manifest)
        if found is None:
            raise NotReady(f'deployments.apps "{name}" not found')
        for condition in (found.get("status") or {}).get("conditions") or []:
            told = (condition["type"], condition["status"], condition.get("reason"))
            if told == ("ReplicaFailure", "True", "FailedCreate"):
                live.delete(found)
                raise NotReady("requeue after: 10s")
        if not _true(found, "Available"):
            raise NotReady(f"{name} deployment not ready")


def require_stateful_set(live: Live, manifest: Object) -> None:
    """operator: install.go:isStatefulSetReady. As many ready pods as wanted, of whatever revision.

    Raises NotReady, and ApiError.
    """
    found = live.get(manifest) or {}
    wanted = (found.get("spec") or {}).get("replicas")
    if wanted is None or (found.get("status") or {}).get("readyReplicas", 0) != wanted:
        raise NotReady(f"{manifest['metadata']['name']} statefulset is not ready")


def require_jobs(live: Live, manifests: Iterable[Object]) -> None:
    """operator: install.go:IsJobCompleted. Raises NotReady, and ApiError."""
    for manifest in manifests:
        if not _true(live.get(manifest) or {}, "Complete"):
            raise NotReady("Job not successful")


def _true(obj: Object, condition: str) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or []
    return any(c["type"] == condition and c["status"] == "True" for c in conditions)
