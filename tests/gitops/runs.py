"""Where a run of the hook is."""

from __future__ import annotations

from typing import Any

from tests.cluster.processes import wait_until
from tests.gitops.states import PATIENCE, condition
from tests.node.hook_job import HookJob


def await_running(live: HookJob, version: str) -> None:
    """Waits until a run has applied a version and waits for its workload."""

    def applied() -> bool:
        return bool(live.get("configmap", f"only-{version}")) and version in live.sets()

    wait_until(applied, f"{version} is applied", timeout=PATIENCE, pause=0.2)


def await_sets(live: HookJob, expected: dict[str, Any]) -> None:
    """Waits until exactly these sets stand.

    A tool may call a sync done a moment before the run has ended: it may still see the Job of the run before.
    """
    wait_until(lambda: live.sets() == expected, f"{expected} stand, not {live.sets()}", timeout=60.0, pause=0.2)


def last_words(live: HookJob) -> str:
    """What there is to say about the hook's Job: whether it failed, and what its pods have logged."""
    failed = condition(live.get("job", "handoff"), "Failed").get("message", "has not failed")
    return "\n".join([f"Job handoff: {failed}", *(live.logs(pod["metadata"]["name"]) for pod in live.pods())])
