"""Somebody edits or deletes sets while a run is at work on them."""

from __future__ import annotations

import signal

from tests.cluster.proxy import Proxy, Request
from tests.hook_process import HookResult, handoff
from tests.integration.scenarios.objects import config_map
from tests.integration.tekton.operated_component import OperatedComponent
from tests.tekton.definitions import SETS
from tests.tekton.process import OperatorProcess
from tests.tekton.sets import wait


def deletes_a_set(request: Request) -> bool:
    return request.method == "DELETE" and request.plural == SETS


def deletes_a_resource(request: Request) -> bool:
    return request.method == "DELETE" and request.plural != SETS


def owners(operated: OperatedComponent, name: str) -> list[str]:
    metadata = operated.live(2)[name]["metadata"]
    return [reference["name"] for reference in metadata.get("ownerReferences") or ()]


def assert_emptied(operated: OperatedComponent, name: str, result: HookResult) -> None:
    """What somebody has filled is named, and its record stays for the next run."""
    assert result.exit_code == 6, str(result)
    assert any(name in entry["why"] for entry in result.report["incomplete"]), result.report["incomplete"]
    assert operated.listed(name) == []
    assert name in [one["spec"]["operatorSet"]["name"] for one in operated.records()]


def test_an_old_set_edited_between_read_and_deletion_goes_and_takes_nothing_along(
    operated: OperatedComponent, proxy: Proxy
) -> None:
    """The operator has given it what the edit lists by then."""
    operated.install()
    hold = proxy.hold(deletes_a_set)

    with (
        operated.probed(),
        handoff(None, *operated.command(2), kubeconfig=proxy.kubeconfig) as process,
    ):
        process.until(lambda: hold.reached, "an old set is about to be deleted", timeout=120.0)
        assert hold.request is not None
        edited = hold.request.name
        operated.sets.edit(edited, [config_map(operated.name, "settings", {"greeting": "edited"})])
        wait(lambda: owners(operated, "ConfigMap settings") == [edited], "the operator has looked at it")
        hold.release()
        result = process.wait()
        assert_emptied(operated, edited, result)
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_an_old_set_filled_again_after_it_was_parked_goes_and_takes_nothing_along(
    operated: OperatedComponent, proxy: Proxy
) -> None:
    operated.install()
    static = operated.old_sets[0]
    found = operated.sets.get(static)
    assert found is not None
    hold = proxy.hold(deletes_a_resource)

    with operated.probed():
        with handoff(None, *operated.command(2), kubeconfig=proxy.kubeconfig) as process:
            process.until(lambda: hold.reached, "the first obsolete object is about to be deleted", timeout=120.0)
            operated.sets.edit(static, found["spec"]["manifests"])
            wait(lambda: owners(operated, "ConfigMap settings") == [static], "the operator has looked at it")
            hold.release()
            result = process.wait()
        assert_emptied(operated, static, result)
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_what_goes_with_a_new_set_that_somebody_deletes_is_back_after_the_next_run(
    operated: OperatedComponent,
) -> None:
    operated.install()
    operated.cluster.cordon()

    with handoff(operated.cluster, *operated.command(2)) as process:
        process.until(lambda: process.logged("waiting"), "it waits for the new pods")
        static = next(name for name in operated.new_sets() if "static" in name)
        operated.sets.delete(static)
        operated.sets.until_gone(static)
        assert "ServiceAccount app" not in operated.live(2)
        operated.cluster.uncordon()
        interrupted = process.wait()
    result = operated.run(2)

    assert interrupted.exit_code == 1, str(interrupted)
    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)


def test_a_new_set_that_somebody_deletes_while_the_operator_is_down_takes_nothing_along(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    """It hangs until the operator is back. The next run has made it let go by then."""
    operated.install()
    operated.cluster.cordon()

    with operated.probed():
        with handoff(operated.cluster, *operated.command(2)) as process:
            process.until(lambda: process.logged("waiting"), "it waits for the new pods")
            running_operator.kill()
            static = next(name for name in operated.new_sets() if "static" in name)
            operated.sets.delete(static)
            process.send(signal.SIGTERM)
            assert process.wait().exit_code == 143
        operated.cluster.uncordon()
        with handoff(operated.cluster, *operated.command(2)) as process:
            process.until(lambda: operated.listed(static) == [], "the set lists nothing")
            process.until(
                lambda: all(static not in owners(operated, name) for name in operated.live(2)), "and owns nothing"
            )
            running_operator.start()
            result = process.wait()

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)
