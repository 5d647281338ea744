"""An API server, or its store, that goes for some seconds in the middle of a handoff."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy, Request
from tests.hook_process import handoff
from tests.integration.component_run import ComponentRun

SECONDS = 10.0


def applies(request: Request) -> bool:
    return request.is_apply and request.is_write


def retires(request: Request) -> bool:
    return request.method == "PUT" and request.plural == "installersets" and "retiredBy" in request.json["spec"]


@pytest.mark.parametrize("matches", [applies, retires], ids=["while it applies", "while it retires"])
@pytest.mark.parametrize("process", ["kube-apiserver", "etcd"])
def test_a_handoff_outlasts_it(
    module_cluster: Cluster, component: str, tmp_path: Path, process: str, matches: Callable[[Request], bool]
) -> None:
    namespace = component
    made = module_cluster.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    assert made.status == 201, made.body
    run = ComponentRun(module_cluster, namespace, component, tmp_path)
    assert run.run(1).exit_code == 0
    # The proxy says where the run is; the run itself speaks to the real server through it all the time.
    with Proxy(module_cluster.kubeconfig) as proxy:
        hold = proxy.hold(matches)
        with handoff(None, *run.command(2), kubeconfig=proxy.kubeconfig) as upgrade:
            upgrade.until(lambda: hold.reached, "the place in which it happens")
            module_cluster.stop_process(process)
            hold.release()
            time.sleep(SECONDS)  # how long it is away is what this is about
            if process == "kube-apiserver":
                module_cluster.start_apiserver()
            else:
                module_cluster.start_process(process)
            started = time.monotonic()
            result = upgrade.wait(180)
    assert result.exit_code == 0, str(result)
    assert time.monotonic() - started < 120
    if process == "kube-apiserver":  # without its store the server may just as well hold the request until it is back
        assert any(verb.startswith("retried") for verb in result.report["requests"]), result.report["requests"]
    run.assert_finished(2)
