"""Runs that are killed (SIGKILL) on their way: the next one resumes, and nothing is there twice or astray."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy, Request
from tests.corpus import needs_corpus
from tests.hook_process import run_handoff
from tests.integration.component_run import ComponentRun, expire_lease, run_killed
from tests.integration.tekton_release import COMPONENT, NAMESPACE, NEW, OLD, command, objects
from tests.live_objects import read, sets_of

pytestmark = pytest.mark.cluster

SETS = "installersets"


@pytest.fixture
def run(shared_cluster: Cluster, namespace: str, component: str, tmp_path: Path) -> ComponentRun:
    return ComponentRun(shared_cluster, namespace, component, tmp_path)


@pytest.fixture
def proxy(shared_cluster: Cluster) -> Iterator[Proxy]:
    with Proxy(shared_cluster.kubeconfig) as proxy:
        yield proxy


def records_a_set(request: Request) -> bool:
    return request.method == "POST" and request.plural == SETS


def applies(request: Request) -> bool:
    return request.is_apply and request.is_write


def retires(request: Request) -> bool:
    return request.method == "PUT" and request.plural == SETS and "retiredBy" in request.json["spec"]


def deletes(request: Request) -> bool:
    return request.method == "DELETE"


def test_an_install_killed_after_each_recorded_set_and_amid_applying_is_resumed(
    run: ComponentRun, proxy: Proxy
) -> None:
    recorded: list[int] = []
    for _ in range(3):
        # Each run finds the sets of those before it, so that its first is the next one.
        run.run_killed(proxy, proxy.hold(records_a_set, after=True), 1)
        recorded.append(len(run.sets()))
        assert run.live(1) == {}
    assert recorded == [1, 2, 3]
    run.run_killed(proxy, proxy.hold(applies, number=5), 1)
    assert 0 < len(run.live(1)) < 9
    uids = {one["metadata"]["uid"] for one in run.sets()}
    result = run.run(1)
    assert result.exit_code == 0, str(result)
    run.assert_finished(1)
    assert {one["metadata"]["uid"] for one in run.sets()} == uids


def test_an_upgrade_killed_after_each_recorded_set_and_amid_applying_is_resumed(
    run: ComponentRun, proxy: Proxy
) -> None:
    assert run.run(1).exit_code == 0
    before = run.live(1)
    for count in (4, 5, 6):
        run.run_killed(proxy, proxy.hold(records_a_set, after=True), 2)
        assert len(run.sets()) == count
        assert run.live(1) == before
    for after in (False, True):
        run.run_killed(proxy, proxy.hold(applies, number=2, after=after), 2)
        assert run.live(1).keys() == before.keys()
        assert len(run.sets()) == 6
    result = run.run(2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


def test_an_upgrade_killed_while_it_retires_and_prunes_is_completed(run: ComponentRun, proxy: Proxy) -> None:
    assert run.run(1).exit_code == 0
    for number, after in ((1, False), (2, True)):
        run.run_killed(proxy, proxy.hold(retires, number=number, after=after), 2)
        assert len(run.sets()) == 6
        assert "ConfigMap only-in-1" in run.live(1)
    run.run_killed(proxy, proxy.hold(deletes), 2)
    assert "ConfigMap only-in-1" in run.live(1)
    for sets in (6, 5, 4):
        run.run_killed(proxy, proxy.hold(deletes, after=True), 2)
        assert "ConfigMap only-in-1" not in run.live(1)
        assert len(run.sets()) == sets
    result = run.run(2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


@pytest.mark.parametrize(
    ("matches", "number", "after"),
    [(applies, 4, True), (retires, 1, False), (retires, 1, True), (deletes, 2, True)],
    ids=["amid applying", "before the first set retires", "after the first has", "amid pruning"],
)
def test_a_revert_after_a_killed_upgrade_brings_the_old_generation_back(
    run: ComponentRun, proxy: Proxy, matches: Callable[[Request], bool], number: int, after: bool
) -> None:
    assert run.run(1).exit_code == 0
    run.run_killed(proxy, proxy.hold(matches, number=number, after=after), 2)
    result = run.run(1)
    assert result.exit_code == 0, str(result)
    run.assert_finished(1)


@needs_corpus("tekton-pipeline")
def test_a_release_killed_amid_applying_is_resumed(fresh_cluster: Cluster) -> None:
    with Proxy(fresh_cluster.kubeconfig) as proxy:
        for version, number in ((OLD, 40), (NEW, 15)):
            run_killed(proxy, proxy.hold(applies, number=number), *command(version))
            expire_lease(fresh_cluster, NAMESPACE, COMPONENT)
            result = run_handoff(fresh_cluster, *command(version))
            assert result.exit_code == 0, str(result)
            sets = sets_of(fresh_cluster.api, NAMESPACE, COMPONENT)
            assert [(one["spec"]["part"], one["spec"]["version"]) for one in sets] == [
                ("deployment", version),
                ("static", version),
            ]
            wanted = objects(version)
            assert len(read(fresh_cluster.api, wanted)) == len(wanted)
