"""SIGTERM: no write any more but the sets' status and the Lease's release, and the end within five seconds."""

from __future__ import annotations

import signal
import time

from tests.cluster.proxy import Proxy, Request
from tests.hook_process import HookProcess, HookResult, handoff
from tests.integration.component_run import ComponentRun, expire_lease
from tests.integration.convergence.leases import hold_lease, holder_of

NEVER_READY = {"pods.test/ready-after": "never"}


def applies(request: Request) -> bool:
    return request.is_apply and request.is_write


def terminated(process: HookProcess) -> HookResult:
    process.send(signal.SIGTERM)
    started = time.monotonic()
    result = process.wait(30)
    assert time.monotonic() - started < 5.0
    assert result.exit_code == 143, str(result)
    assert result.report["result"] == "terminated"
    return result


def test_in_a_wait_only_the_status_and_the_lease_are_written(run: ComponentRun, proxy: Proxy) -> None:
    assert run.run(1).exit_code == 0
    with handoff(None, *run.command(2, pods=NEVER_READY), kubeconfig=proxy.kubeconfig) as process:
        process.until(lambda: process.logged('"waiting"'), "the wait")
        process.until(lambda: _reasons(run, "v2") == {"Waiting"}, "the status that says so")
        proxy.forget()
        terminated(process)
    written = {(r.request.plural, r.request.subresource) for r in proxy.requests if r.request.is_write}
    assert written == {("installersets", "status"), ("leases", "")}
    assert _reasons(run, "v2") == {"Interrupted"}
    assert _reasons(run, "v1") == {"Ready"}
    assert holder_of(run) == ""
    result = run.run(2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


def test_a_server_that_does_not_answer_does_not_hold_it_up(run: ComponentRun, proxy: Proxy) -> None:
    """The Lease is left to expire then: what was under way may still be done."""
    assert run.run(1).exit_code == 0
    hold = proxy.hold(applies, number=2)
    with handoff(None, *run.command(2), kubeconfig=proxy.kubeconfig) as process:
        process.until(lambda: hold.reached, "an apply")
        terminated(process)
    hold.drop()
    assert holder_of(run) != ""
    expire_lease(run.cluster, run.namespace, run.component)
    result = run.run(2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


def test_while_it_waits_for_the_lease_nothing_is_written(run: ComponentRun, proxy: Proxy) -> None:
    hold_lease(run, "somebody-else")
    with handoff(None, *run.command(1), kubeconfig=proxy.kubeconfig) as process:
        process.until(lambda: process.logged("somebody-else"), "waiting for the Lease")
        terminated(process)
    assert [r.request for r in proxy.requests if r.request.is_write] == []
    assert holder_of(run) == "somebody-else"


def test_while_it_prunes_the_rest_stays_recorded(run: ComponentRun, proxy: Proxy) -> None:
    assert run.run(1).exit_code == 0
    hold = proxy.hold(lambda request: request.method == "DELETE", after=True)
    with handoff(None, *run.command(2), kubeconfig=proxy.kubeconfig) as process:
        process.until(lambda: hold.reached, "the first deletion")
        terminated(process)
    hold.drop()
    assert [one["spec"]["version"] for one in run.sets() if "retiredBy" in one["spec"]] == ["v1", "v1", "v1"]
    expire_lease(run.cluster, run.namespace, run.component)
    result = run.run(2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


def _reasons(run: ComponentRun, version: str) -> set[str]:
    return {
        condition["reason"]
        for one in run.sets()
        if one["spec"]["version"] == version
        for condition in one["status"]["conditions"]
        if condition["type"] == "Ready"
    }
