"""Where a run of the hook is."""

from __future__ import annotations

from tests.cluster.processes import wait_until
from tests.gitops.states import PATIENCE
from tests.node.hook_job import HookJob


def await_running(live: HookJob, version: str) -> None:
    """Waits until a run has applied a version and waits for its workload."""

    def applied() -> bool:
        return bool(live.get("configmap", f"only-{version}")) and version in live.sets()

    wait_until(applied, f"{version} is applied", timeout=PATIENCE, pause=0.2)
