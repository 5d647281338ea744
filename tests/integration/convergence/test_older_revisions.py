"""A Job for an older revision that comes late changes nothing; one that is newer goes through, whatever it brings."""

from __future__ import annotations

import signal
from collections.abc import Mapping

import pytest

from tests.cluster.proxy import Proxy, Request
from tests.hook_process import HookResult, handoff, run_handoff
from tests.integration.component_run import ComponentRun, expire_lease
from tests.integration.convergence.jobs import Job, Jobs
from tests.integration.convergence.leases import lease_of

NEVER_READY = {"pods.test/ready-after": "never"}


class Pods:
    """Runs as pods of Jobs, all through one proxy."""

    def __init__(self, run: ComponentRun, jobs: Jobs, proxy: Proxy) -> None:
        self.run = run
        self.kubeconfig = jobs.kubeconfig(proxy.kubeconfig)
        self._proxy = proxy

    def of(
        self, job: Job, version: int, *options: str, pods: Mapping[str, str] | None = None, name: str = "run"
    ) -> HookResult:
        """A pod of the Job, to its end; `proxy.requests` are its own afterwards."""
        self._proxy.forget()
        command = self.run.command(version, *options, pods=pods, name=name)
        return run_handoff(None, *command, kubeconfig=self.kubeconfig, environment=job.environment)

    def removal(self, job: Job | None) -> HookResult:
        """The component's removal, by a Job or by hand."""
        place = ["--component", self.run.component, "--namespace", self.run.namespace]
        environment = job.environment if job else {}
        return run_handoff(None, "remove", *place, kubeconfig=self.kubeconfig, environment=environment)

    def assert_nothing_written(self) -> None:
        assert [str(recorded.request) for recorded in self._proxy.requests if recorded.request.is_write] == []


@pytest.fixture
def pods(run: ComponentRun, jobs: Jobs, proxy: Proxy) -> Pods:
    return Pods(run, jobs, proxy)


def test_a_job_that_comes_after_a_newer_one_is_superseded_by_what_is_healthy(
    run: ComponentRun, jobs: Jobs, pods: Pods
) -> None:
    older = jobs.create("older")
    newer = jobs.create_later(older, "newer")
    assert pods.of(newer, 2).exit_code == 0
    late = pods.of(older, 1)
    assert (late.exit_code, late.report["result"]) == (0, "superseded"), str(late)
    assert newer.name in late.report["message"]
    pods.assert_nothing_written()
    run.assert_finished(2)


def test_a_job_that_comes_after_a_newer_one_that_is_not_ready_fails(run: ComponentRun, jobs: Jobs, pods: Pods) -> None:
    older = jobs.create("older")
    newer = jobs.create_later(older, "newer")
    assert pods.of(newer, 2, "--timeout", "2s", pods=NEVER_READY).exit_code == 124
    late = pods.of(older, 1)
    assert late.exit_code == 3, str(late)
    assert newer.name in late.report["message"]
    pods.assert_nothing_written()


def test_an_intended_revert_goes_through(run: ComponentRun, jobs: Jobs, pods: Pods) -> None:
    first = jobs.create("first")
    second = jobs.create_later(first, "second")
    third = jobs.create_later(second, "third")
    for job, version in ((first, 1), (second, 2), (third, 1)):
        result = pods.of(job, version)
        assert result.exit_code == 0, str(result)
        run.assert_finished(version)


def test_a_second_pod_of_the_same_job_goes_on(run: ComponentRun, jobs: Jobs, pods: Pods) -> None:
    job = jobs.create("job")
    assert pods.of(job, 2, "--timeout", "2s", pods=NEVER_READY).exit_code == 124
    result = pods.of(job, 2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


def test_of_two_jobs_of_one_second_the_same_one_wins_in_any_order(run: ComponentRun, jobs: Jobs, pods: Pods) -> None:
    lesser, greater = jobs.create_two_at_once()
    assert pods.of(lesser, 1).exit_code == 0
    assert pods.of(greater, 2).exit_code == 0
    late = pods.of(lesser, 1)
    assert late.report["result"] == "superseded", str(late)
    run.assert_finished(2)
    # Argo CD and Flux delete the Job of the revision that is not wanted any more: the one that is there counts.
    jobs.delete(greater)
    result = pods.of(lesser, 1)
    assert (result.exit_code, result.report["result"]) == (0, "done"), str(result)
    run.assert_finished(1)


@pytest.mark.parametrize("replaced", [False, True], ids=["deleted", "replaced"])
def test_a_pod_that_starts_after_its_job_is_gone_does_nothing(
    run: ComponentRun, jobs: Jobs, pods: Pods, replaced: bool
) -> None:
    job = jobs.create("job")
    jobs.delete(job)
    if replaced:
        jobs.create("job")
    result = pods.of(job, 1)
    assert result.exit_code == 143, str(result)
    assert f"the Job {run.namespace}/job" in result.report["message"]
    pods.assert_nothing_written()
    assert run.sets() == []


def test_a_pod_whose_job_is_deleted_stops(run: ComponentRun, jobs: Jobs, pods: Pods) -> None:
    job = jobs.create("job")
    command = run.command(1, pods=NEVER_READY)
    with handoff(None, *command, kubeconfig=pods.kubeconfig, environment=job.environment) as process:
        process.until(lambda: process.logged('"waiting"'), "the wait")
        jobs.delete(job)
        result = process.wait(60)  # it looks at every renewal of the Lease, ten seconds apart
    assert result.exit_code == 143, str(result)
    assert f"the Job {run.namespace}/job" in result.report["message"]


def test_a_newer_job_that_was_killed_before_it_recorded_anything_counts(
    run: ComponentRun, jobs: Jobs, pods: Pods, proxy: Proxy
) -> None:
    older = jobs.create("older")
    newer = jobs.create_later(older, "newer")
    assert pods.of(older, 1).exit_code == 0
    hold = proxy.hold(_writes_beside_the_lease)
    with handoff(None, *run.command(2), kubeconfig=pods.kubeconfig, environment=newer.environment) as process:
        process.until(lambda: hold.reached, "the first write")
        process.send(signal.SIGKILL)
        process.wait()
    hold.drop()
    expire_lease(run.cluster, run.namespace, run.component)

    late = pods.of(older, 1)
    assert late.exit_code == 3, str(late)
    assert newer.name in late.report["message"]
    pods.assert_nothing_written()
    result = pods.of(newer, 2)
    assert result.exit_code == 0, str(result)
    run.assert_finished(2)


@pytest.mark.parametrize("by_hand", [False, True], ids=["by a Job", "by hand"])
def test_a_pod_that_was_held_up_since_before_a_removal_installs_nothing(
    run: ComponentRun, jobs: Jobs, pods: Pods, by_hand: bool
) -> None:
    older = jobs.create("older")
    remover = jobs.create_later(older, "remover")
    assert pods.of(older, 1).exit_code == 0
    removed = pods.removal(None if by_hand else remover)
    assert removed.exit_code == 0, str(removed)
    assert lease_of(run) is None

    late = pods.of(older, 1)
    assert late.exit_code == 3, str(late)
    pods.assert_nothing_written()
    assert (run.sets(), lease_of(run), run.live(1)) == ([], None, {})

    again = pods.of(jobs.create_later(remover, "again"), 1)
    assert again.exit_code == 0, str(again)
    run.assert_finished(1)


def _writes_beside_the_lease(request: Request) -> bool:
    return request.is_write and request.plural != "leases"
