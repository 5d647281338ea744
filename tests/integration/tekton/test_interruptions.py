"""Runs that are killed, or reverted, in the middle of a handoff between the operator's sets."""

from __future__ import annotations

from tests.cluster.proxy import Proxy, Request
from tests.integration.tekton.operated_component import OperatedComponent
from tests.tekton.definitions import SETS


def strips(request: Request) -> bool:
    return request.method == "PATCH" and request.plural == SETS and "pipeline-main" in request.name


def creates(request: Request) -> bool:
    return request.method == "POST" and request.plural == SETS


def parks(request: Request) -> bool:
    """Strips go before: they leave something in the static set, and nothing in the other."""
    return strips(request) and "static" in request.name and request.json[1]["value"] == {"manifests": []}


def deletes(request: Request) -> bool:
    return request.method == "DELETE" and request.plural == SETS


def test_an_upgrade_killed_after_each_step_about_sets_is_completed(operated: OperatedComponent, proxy: Proxy) -> None:
    """Without a gap, and no set is there twice."""
    operated.install()

    with operated.probed():
        operated.run_killed(proxy, proxy.hold(strips, after=True), 2)
        static, deployed = (operated.listed(name) for name in operated.old_sets)
        assert (static == operated.only_old()) != (deployed == [])
        operated.run_killed(proxy, proxy.hold(creates, after=True), 2)
        assert len(operated.new_sets()) == 1
        operated.run_killed(proxy, proxy.hold(creates, number=2), 2)
        assert len(operated.new_sets()) == 2
        operated.run_killed(proxy, proxy.hold(parks, after=True), 2)
        made = operated.new_sets()
        assert len(made) == 3
        assert "ConfigMap only-in-1" in operated.live(1)
        operated.run_killed(proxy, proxy.hold(deletes, after=True), 2)
        assert operated.new_sets() == made
        result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)
    assert operated.tekton_sets() == made


def test_a_revert_of_an_upgrade_that_never_became_ready_converges(operated: OperatedComponent) -> None:
    operated.install()
    before = operated.uids(1)
    operated.cluster.cordon()

    with operated.probed():
        assert operated.run(2, "--timeout", "12s").exit_code == 124
        operated.cluster.uncordon()
        result = operated.run(1)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(1)
    assert operated.uids(1) == before


def test_a_revert_of_an_upgrade_killed_before_it_knew_its_new_set_leaves_no_set_behind(
    operated: OperatedComponent, proxy: Proxy
) -> None:
    """The record has no uid of that set yet."""
    operated.install()

    with operated.probed():
        operated.run_killed(proxy, proxy.hold(creates, after=True), 2)
        assert len(operated.new_sets()) == 1
        result = operated.run(1)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(1)


def test_a_revert_of_an_upgrade_killed_while_the_old_sets_go_converges(
    operated: OperatedComponent, proxy: Proxy
) -> None:
    operated.install()

    with operated.probed():
        operated.run_killed(proxy, proxy.hold(deletes, after=True), 2)
        result = operated.run(1)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(1)
