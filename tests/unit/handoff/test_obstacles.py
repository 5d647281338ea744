"""How an obstacle reads."""

from __future__ import annotations

import time

from hook.handoff.obstacles import Obstacle, summary
from hook.readiness.state import State


def obstacle(name: str = "web", **more: str) -> Obstacle:
    return Obstacle(f"Deployment.apps ns/{name}", State.IN_PROGRESS, "0 of 1 pods are ready", 1_700_000_000.0, **more)


def test_a_line_tells_state_reason_what_is_waited_for_cause_and_how_long() -> None:
    seconds = f"{time.time() - 1_700_000_000.0:.0f}"[:-1]
    line = str(obstacle(waiting_for="1 ready pods", cause="pod web-1: container main: crash loop"))
    assert line.startswith(
        "Deployment.apps ns/web: InProgress: 0 of 1 pods are ready; waiting for 1 ready pods; "
        f"pod web-1: container main: crash loop (for {seconds}"
    )


def test_what_is_written_to_the_cluster_stays_the_same_as_time_goes_by() -> None:
    assert obstacle().dated == "Deployment.apps ns/web: 0 of 1 pods are ready (since 2023-11-14T22:13:20Z)"


def test_the_result_holds_every_part() -> None:
    assert obstacle(cause="pod web-1: x").as_object() == {
        "object": "Deployment.apps ns/web",
        "state": "InProgress",
        "reason": "0 of 1 pods are ready",
        "waitingFor": None,
        "since": "2023-11-14T22:13:20Z",
        "cause": "pod web-1: x",
    }


def test_a_summary_names_the_first_five_and_counts_the_rest() -> None:
    assert summary([obstacle("a")]) == "Deployment.apps ns/a: 0 of 1 pods are ready"
    told = summary([obstacle(name) for name in "abcdefg"])
    assert told.count("Deployment") == 5
    assert told.endswith("; and 2 more")
