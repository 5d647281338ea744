"""The operator is down, comes back in the middle, or is slow."""

from __future__ import annotations

from tests.cluster.proxy import Proxy, Request
from tests.hook_process import handoff
from tests.integration.tekton.operated_component import OperatedComponent
from tests.tekton.definitions import SETS
from tests.tekton.process import OperatorProcess


def creates_a_set(request: Request) -> bool:
    return request.method == "POST" and request.plural == SETS


def test_nothing_is_retired_or_pruned_without_the_operator_and_the_next_run_with_it_converges(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    operated.install()
    running_operator.kill()
    before = operated.live(1)

    with operated.probed():
        result = operated.run(2, "--timeout", "20s")
        assert result.exit_code == 124, str(result)
        assert any(name in str(result.report) for name in operated.new_sets())
        assert "Tekton operator" in result.report["message"]
        assert not [one for one in operated.records() if "retiredBy" in one["spec"]]
        assert operated.live(1).keys() == before.keys()
        assert set(operated.old_sets) < set(operated.tekton_sets())

        running_operator.start()
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_an_operator_that_is_killed_and_restarted_in_the_middle_costs_nothing_but_time(
    operated: OperatedComponent, running_operator: OperatorProcess, proxy: Proxy
) -> None:
    operated.install()
    hold = proxy.hold(creates_a_set, after=True)

    with (
        operated.probed(),
        handoff(None, *operated.command(2), kubeconfig=proxy.kubeconfig) as process,
    ):
        process.until(lambda: hold.reached, "the first new set is there")
        running_operator.kill()
        hold.release()
        process.until(lambda: process.logged("not looked at by the operator yet"), "it waits for the operator")
        running_operator.start()
        result = process.wait()

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_a_slow_operator_is_waited_for(operated: OperatedComponent, running_operator: OperatorProcess) -> None:
    operated.install()
    running_operator.restart(delay=1.0, pace=0.1)

    with operated.probed():
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_old_sets_that_wait_for_the_operator_to_go_are_named_and_go_at_the_next_run(
    operated: OperatedComponent, running_operator: OperatorProcess, proxy: Proxy
) -> None:
    """The operator is gone from the moment in which the first old set is deleted."""
    operated.install()
    hold = proxy.hold(lambda request: request.method == "DELETE" and request.plural == SETS)

    with operated.probed():
        command = operated.command(2, "--timeout", "40s")
        with handoff(None, *command, kubeconfig=proxy.kubeconfig) as process:
            process.until(lambda: hold.reached, "an old set is about to be deleted")
            running_operator.kill()
            hold.release()
            result = process.wait()
        assert result.exit_code == 6, str(result)
        assert any(name in str(result.report["incomplete"]) for name in operated.old_sets)

        running_operator.start()
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)
