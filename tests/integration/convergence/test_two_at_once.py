"""Two runs of one component at once: one at a time works, the others wait for it and say for whom."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.cluster.processes import wait_until
from tests.cluster.proxy import Exchange, Proxy, Request
from tests.hook_process import HookProcess, handoff, run_handoff
from tests.integration.component_run import ComponentRun
from tests.integration.convergence.leases import hold_lease, holder_of
from tests.integration.small_component import manifests, write


def applies(request: Request) -> bool:
    return request.is_apply and request.is_write


@pytest.mark.parametrize("second", [1, 2], ids=["the same input", "another input"])
def test_the_second_waits_for_the_first_and_has_the_last_word(run: ComponentRun, proxy: Proxy, second: int) -> None:
    hold = proxy.hold(applies, number=3)
    with handoff(None, *run.command(1), kubeconfig=proxy.kubeconfig) as first:
        first.until(lambda: hold.reached, "an apply of the first")
        holder = holder_of(run)
        with handoff(run.cluster, *run.command(second)) as waiting:
            waiting.until(lambda: _waits_for(waiting, holder), "waiting for the first")
            assert holder_of(run) == holder
            hold.release()
            results = first.wait(), waiting.wait()
    assert [result.exit_code for result in results] == [0, 0], f"{results[0]} {results[1]}"
    if second == 1:
        assert (results[1].report["counts"]["created"], results[1].report["counts"]["changed"]) == (0, 0)
    run.assert_finished(second)


def test_of_three_at_once_one_after_the_other_works(run: ComponentRun) -> None:
    assert run.run(1).exit_code == 0
    with contextlib.ExitStack() as stack:
        started = [stack.enter_context(handoff(run.cluster, *run.command(version))) for version in (2, 1, 2)]
        results = [process.wait(300) for process in started]
    assert [result.exit_code for result in results] == [0, 0, 0], "\n".join(map(str, results))
    (version,) = {one["spec"]["version"] for one in run.sets()}
    run.assert_finished(int(version.removeprefix("v")))


def test_a_lease_that_is_not_had_in_time_is_said_to_be_whose(run: ComponentRun, proxy: Proxy) -> None:
    hold_lease(run, "somebody-else")
    started = time.monotonic()
    result = run_handoff(None, *run.command(1, "--lock-timeout", "3s"), kubeconfig=proxy.kubeconfig)
    assert result.exit_code == 1, str(result)
    assert "somebody-else" in result.report["message"]
    assert 3.0 <= time.monotonic() - started < 25.0
    assert [r.request for r in proxy.requests if r.request.is_write] == []


def test_a_frozen_holder_is_followed_after_half_a_minute_and_changes_nothing_when_it_wakes(
    run: ComponentRun, proxy: Proxy, tmp_path: Path
) -> None:
    """Neither by what it would do next, nor by the write that it had on its way."""
    assert run.run(1).exit_code == 0
    held, released = threading.Event(), threading.Event()

    def on_its_way(exchange: Exchange) -> None:
        held.set()
        released.wait(300)
        exchange.relay()

    proxy.on(_applies_settings, on_its_way)
    third = manifests(2)
    next(item for item in third if item["metadata"]["name"] == "settings")["data"]["third"] = "yes"
    source = write(tmp_path, 3, third)
    place = ["--component", run.component, "--namespace", run.namespace]
    with handoff(None, *run.command(2), kubeconfig=proxy.kubeconfig) as frozen:
        frozen.until(held.is_set, "the apply of the settings")
        frozen.send(signal.SIGSTOP)
        frozen_at = time.monotonic()
        holder = holder_of(run)
        with handoff(run.cluster, "run", "--source", source, "--version", "v3", *place) as follower:
            follower.until(lambda: _waits_for(follower, holder), "waiting for the frozen one")
            result = follower.wait(180)
        assert result.exit_code == 0, str(result)
        assert time.monotonic() - frozen_at > 20.0  # it was renewed up to ten seconds before

        (late,) = [recorded for recorded in proxy.requests if _applies_settings(recorded.request)]
        proxy.forget()
        released.set()
        wait_until(lambda: late.status != 0, "the answer to the write that was on its way")
        assert late.status == 409
        frozen.send(signal.SIGCONT)
        woken = frozen.wait()
    assert woken.exit_code == 1, str(woken)
    assert "Lease" in woken.report["message"]
    assert proxy.requests == []
    assert {one["spec"]["version"] for one in run.sets()} == {"v3"}
    assert run.live(2)["ConfigMap settings"]["data"]["third"] == "yes"


def _applies_settings(request: Request) -> bool:
    return applies(request) and request.name == "settings"


def _waits_for(process: HookProcess, holder: str) -> bool:
    return process.logged(json.dumps(holder))
