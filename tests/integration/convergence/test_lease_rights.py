"""The right to renew the Lease: without it a run ends with 5 and names it, whenever that shows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.cluster.processes import wait_until
from tests.hook_process import handoff, run_handoff
from tests.integration.component_run import ComponentRun

NEVER_READY = {"pods.test/ready-after": "never"}


class Account:
    """A ServiceAccount with just the rights that are printed for version 1."""

    def __init__(self, run: ComponentRun) -> None:
        self._run = run
        printed = run_handoff(None, *run.command(1, "--service-account", "hook", name="rbac"))
        assert printed.exit_code == 0, printed
        self._items: list[dict[str, Any]] = printed.report["items"]
        metadata = {"name": "hook", "namespace": run.namespace}
        run.cluster.load([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}, *self._items])
        self.kubeconfig: Path = run.cluster.service_account_kubeconfig(run.namespace, "hook")
        self._wait_until_it_can_renew("yes")

    def may_not_renew(self) -> None:
        """Takes `update` of the Lease from it; returns when the API server goes by that."""
        for item in self._items:
            for rule in item.get("rules", ()):
                if rule["resources"] == ["leases"] and "update" in rule["verbs"]:
                    rule["verbs"].remove("update")
        self._run.cluster.load(self._items)
        self._wait_until_it_can_renew("no")

    def _wait_until_it_can_renew(self, answer: str) -> None:
        lease = f"leases.coordination.k8s.io/handoff-{self._run.component}"
        question = ("auth", "can-i", "update", lease, f"--namespace={self._run.namespace}")

        def told() -> str:
            return self._run.cluster.kubectl(*question, check=False, kubeconfig=self.kubeconfig).stdout.strip()

        wait_until(lambda: told() == answer, f"whether it may renew the Lease: {answer}", timeout=20)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds


def test_without_it_a_first_run_ends_at_once(run: ComponentRun) -> None:
    """Without a Job, as from a shell: its place among the runs is written by a renewal, before the preflight."""
    account = Account(run)
    account.may_not_renew()
    with within(15):
        result = run_handoff(None, *run.command(1), kubeconfig=account.kubeconfig)
    assert result.exit_code == 5, result
    assert f"Lease {run.namespace}/handoff-{run.component} cannot be renewed" in result.report["message"]
    assert 'cannot update resource "leases"' in result.report["message"]
    assert run.sets() == []


def test_a_run_that_waits_ends_when_it_is_taken_away(run: ComponentRun) -> None:
    account = Account(run)
    with handoff(None, *run.command(1, pods=NEVER_READY), kubeconfig=account.kubeconfig) as process:
        process.until(lambda: process.logged('"waiting"'), "the wait")
        account.may_not_renew()
        result = process.wait(30)
    assert result.exit_code == 5, result
    assert 'cannot update resource "leases"' in result.report["message"]
