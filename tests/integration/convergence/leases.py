"""The Lease of a component, as seen and written from outside."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.integration.component_run import ComponentRun


def lease_of(run: ComponentRun) -> dict[str, Any] | None:
    """The Lease; None if there is none."""
    answer = run.cluster.api.request("GET", f"{_leases(run)}/handoff-{run.component}")
    return answer.body if answer.status == 200 else None


def holder_of(run: ComponentRun) -> str:
    """Who holds it, "" for nobody."""
    lease = lease_of(run)
    return str(lease["spec"].get("holderIdentity") or "") if lease else ""


def hold_lease(run: ComponentRun, identity: str) -> None:
    """As if somebody else had just taken it."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": identity, "leaseDurationSeconds": 30, "acquireTime": now, "renewTime": now}
    body = {"metadata": {"name": f"handoff-{run.component}"}, "spec": spec}
    made = run.cluster.api.request("POST", _leases(run), body)
    assert made.status == 201, made.body


def _leases(run: ComponentRun) -> str:
    return f"/apis/coordination.k8s.io/v1/namespaces/{run.namespace}/leases"
