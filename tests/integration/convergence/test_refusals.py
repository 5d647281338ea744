"""What no other try can change is asked for once, recorded with its cause, and told; what passes is tried again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.proxy import Proxy, Request, faults
from tests.hook_process import run_handoff
from tests.integration.component_run import ComponentRun

_NAMED = {"name": "settings", "kind": "configmaps"}


def applies_settings(request: Request) -> bool:
    return request.is_apply and request.is_write and request.name == "settings"


@pytest.mark.parametrize(
    ("code", "reason", "message", "details", "exit_code"),
    [
        (400, "BadRequest", "the request is malformed", {}, 3),
        (403, "Forbidden", 'configmaps "settings" is forbidden: User "x" cannot patch resource', _NAMED, 5),
        (403, "Forbidden", 'admission webhook "w.example" denied the request: no', _NAMED, 3),
        (403, "Forbidden", 'configmaps "settings" is forbidden: exceeded quota: q', _NAMED, 3),
        (404, "NotFound", "the server could not find the requested resource", {}, 3),
        (409, "Conflict", "Apply failed with 1 conflict", {"causes": [{"reason": "FieldManagerConflict"}]}, 3),
        (413, "RequestEntityTooLarge", "the request is too large", {}, 3),
        (422, "Invalid", 'ConfigMap "settings" is invalid: data: Invalid value', _NAMED, 3),
        (500, "InternalError", "failed to create typed patch object: unknown field", {}, 3),
        (500, "InternalError", "etcdserver: request is too large", {}, 3),
    ],
)
def test_what_is_refused_for_good_is_asked_for_once(
    run: ComponentRun, proxy: Proxy, code: int, reason: str, message: str, details: dict[str, Any], exit_code: int
) -> None:
    status = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    proxy.on(applies_settings, faults.answer(code, {**status, "details": details}), times=None)
    result = run_handoff(None, *run.command(1), kubeconfig=proxy.kubeconfig)
    assert result.exit_code == exit_code, str(result)
    assert len([r for r in proxy.requests if applies_settings(r.request)]) == 1
    assert f"ConfigMap {run.namespace}/settings" in result.report["message"]
    ready = [c for one in run.sets() for c in one["status"]["conditions"] if c["type"] == "Ready"]
    assert {condition["reason"] for condition in ready} == {"Failed"}
    assert all("settings" in condition["message"] for condition in ready)
    (told,) = [event for event in _events(run) if event["reason"] == "Failed"]
    assert f"ConfigMap {run.namespace}/settings" in told["note"]
    # And nothing is broken by it.
    assert run.run(1).exit_code == 0
    run.assert_finished(1)


def test_a_token_that_is_rotated_on_the_way_is_read_again(run: ComponentRun, proxy: Proxy, tmp_path: Path) -> None:
    token_file = tmp_path / "token"
    token_file.write_text("old")
    document = json.loads(proxy.kubeconfig.read_text())
    document["users"][0]["user"] = {"tokenFile": str(token_file)}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(json.dumps(document))
    refused: list[str] = []

    def outdated(request: Request) -> bool:
        if applies_settings(request):
            token_file.write_text("new")
        old = token_file.read_text() == "new" and request.headers["authorization"] != "Bearer new"
        refused.extend([str(request)] * old)
        return old

    proxy.on(outdated, faults.status(401, "Unauthorized", "Unauthorized"), times=None)
    result = run_handoff(None, *run.command(1), kubeconfig=kubeconfig)
    assert result.exit_code == 0, str(result)
    assert refused
    run.assert_finished(1)


def test_a_token_that_stays_refused_is_about_rights(run: ComponentRun, proxy: Proxy) -> None:
    proxy.on(applies_settings, faults.status(401, "Unauthorized", "Unauthorized"), times=None)
    result = run_handoff(None, *run.command(1), kubeconfig=proxy.kubeconfig)
    assert result.exit_code == 5, str(result)
    assert len([r for r in proxy.requests if applies_settings(r.request)]) == 2


def _events(run: ComponentRun) -> list[dict[str, Any]]:
    answer = run.cluster.api.request("GET", f"/apis/events.k8s.io/v1/namespaces/{run.namespace}/events")
    items: list[dict[str, Any]] = answer.body["items"]
    return items
