"""Waiting by watches, through everything that can happen to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Request, faults
from tests.hook_process import handoff
from tests.integration.scenarios.components import Component
from tests.integration.scenarios.objects import deployment, stateful_set

pytestmark = pytest.mark.cluster

NEVER = {"pods.test/ready-after": "never"}


def let_pods_be_ready(cluster: Cluster, namespace: str) -> None:
    cluster.kubectl("annotate", "pods", "--all", "-n", namespace, "pods.test/ready-after-")


def asks(plural: str, *, watch: bool) -> Callable[[Request], bool]:
    """What matches a LIST, or a WATCH, of a kind."""
    return lambda r: r.method == "GET" and r.plural == plural and not r.name and r.is_watch is watch


def test_one_list_and_one_watch_a_kind_and_no_more_however_long_it_takes(
    shop: Component, shared_cluster: Cluster, namespace: str
) -> None:
    manifests = [deployment(namespace, f"web-{n}", pods=NEVER) for n in range(5)]
    with shop.running(*manifests, stateful_set(namespace, "store"), options=("--timeout=90s",)) as process:
        process.until(lambda: process.logged('"waiting"'), "it waits")
        shop.proxy.forget()
        process.until(lambda: process.logged("its startup probe has not succeeded"), "it has waited for some seconds")
        asked = Counter(kind(r.request) for r in shop.proxy.requests if r.request.method == "GET")
        let_pods_be_ready(shared_cluster, namespace)
        assert process.wait().exit_code == 0
    # Pods and Events are read to explain, never to decide.
    assert {k: n for k, n in asked.items() if not k.endswith(("pods", "events", "leases", "jobs"))} == {}
    opened = Counter(kind(r.request) for r in shop.proxy.requests if r.request.is_watch)
    assert set(opened) <= {"WATCH deployments", "WATCH statefulsets"}


def kind(request: Request) -> str:
    return f"{'WATCH' if request.is_watch else 'GET' if request.name else 'LIST'} {request.plural}"


def test_watches_that_break_are_taken_up_again(shop: Component, shared_cluster: Cluster, namespace: str) -> None:
    too_old = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 410, "reason": "Expired"}
    inside = json.dumps({"type": "ERROR", "object": too_old}).encode() + b"\n"
    for fault in (
        faults.status(410, "Expired", "too old resource version: 1 (2)"),
        faults.status(504, "Timeout", "Timeout: Too large resource version: 9"),
        faults.refused(),
        faults.answer(200, inside, {"Content-Type": "application/json"}),
        faults.answer(200, b"", {"Content-Type": "application/json"}),
    ):
        shop.proxy.on(asks("deployments", watch=True), fault)
    with shop.running(deployment(namespace, "web", pods=NEVER), options=("--timeout=60s",)) as process:

        def watched() -> bool:
            watches = [r for r in shop.proxy.requests if r.request.is_watch and r.request.plural == "deployments"]
            return len(watches) >= 6 and watches[-1].status == 200

        process.until(watched, "the sixth watch stands")
        let_pods_be_ready(shared_cluster, namespace)
        result = process.wait()
    assert result.exit_code == 0, result


def test_an_api_server_that_restarts_while_something_is_waited_for(fresh_cluster: Cluster, tmp_path: Path) -> None:
    source = tmp_path / "release.json"
    items = [deployment("default", "web", pods=NEVER), stateful_set("default", "store")]
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    command = ("run", "--source", source, "--component=shop", "--namespace=default", "--timeout=120s")
    with handoff(fresh_cluster, *command) as process:
        process.until(lambda: process.logged('"waiting"'), "it waits")
        fresh_cluster.kill_apiserver()
        fresh_cluster.start_apiserver()
        let_pods_be_ready(fresh_cluster, "default")
        result = process.wait()
    assert result.exit_code == 0, result
