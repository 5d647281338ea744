"""Health of InstallerSets as Argo CD computes it from our script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lupa import lua51  # type: ignore[import-untyped]

SCRIPT = (Path(__file__).parents[3] / "manifests" / "argocd" / "health" / "installerset.lua").read_text("utf-8")


def health(*conditions: dict[str, Any], observed: int | None = 2, **metadata: Any) -> tuple[str, str]:
    """Status and message; without conditions the object has no status at all."""
    runtime = lua51.LuaRuntime(register_eval=False, register_builtins=False)
    obj: dict[str, Any] = {"metadata": {"generation": 2, **metadata}}
    if conditions:
        obj["status"] = {"conditions": list(conditions)}
        if observed is not None:
            obj["status"]["observedGeneration"] = observed
    runtime.globals().obj = runtime.table_from(obj, recursive=True)
    result = runtime.execute(SCRIPT)
    return result["status"], result["message"]


def condition(name: str, status: str, message: str = "why") -> dict[str, Any]:
    return {"type": name, "status": status, "reason": "Reason", "message": message}


READY = condition("Ready", "True")


def test_a_ready_set_is_healthy() -> None:
    assert health(READY) == ("Healthy", "why")


def test_a_set_without_status_is_progressing() -> None:
    assert health()[0] == "Progressing"


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_a_set_that_is_not_ready_is_progressing_with_its_message(status: str) -> None:
    assert health(condition("Ready", status, "Deployment web: 0 of 1")) == ("Progressing", "Deployment web: 0 of 1")


def test_a_stalled_set_is_degraded_with_its_message() -> None:
    assert health(condition("Ready", "False"), condition("Stalled", "True", "Job failed")) == ("Degraded", "Job failed")


def test_reconciling_comes_before_ready() -> None:
    assert health(READY, condition("Reconciling", "True"))[0] == "Progressing"


def test_a_status_of_an_older_generation_is_no_health() -> None:
    assert health(READY, observed=1)[0] == "Progressing"


def test_a_set_that_is_being_deleted_is_progressing() -> None:
    assert health(READY, deletionTimestamp="2026-01-01T00:00:00Z") == ("Progressing", "being deleted")
