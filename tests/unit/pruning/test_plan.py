"""The plan as text."""

from __future__ import annotations

from hook.pruning.action import Action, Decision
from hook.pruning.plan import render
from tests.unit.pruning.world import CONFIG, CRD, DEPLOYMENT, NS, PVC


def test_deletions_come_in_their_order_then_what_is_left_with_its_reason() -> None:
    decisions = [
        Decision(Action.DEFER, NS, "goes after 1 object: ConfigMap x/conf"),
        Decision(Action.RETAIN, PVC, "kept: by rule"),
        Decision(Action.DELETE, CONFIG, "obsolete", notes=("recreated since it was recorded",)),
        Decision(Action.DELETE, DEPLOYMENT, "obsolete"),
        Decision(Action.UNKNOWN, CRD, "unknown: 503"),
    ]
    assert render(decisions) == (
        "delete, workloads:",
        f"  {DEPLOYMENT}",
        "delete, rest:",
        f"  {CONFIG}",
        "    recreated since it was recorded",
        "delete, namespaces:",
        f"  {NS} (goes after 1 object: ConfigMap x/conf)",
        "unknown, stays recorded:",
        f"  {CRD} (unknown: 503)",
        "kept by rule:",
        f"  {PVC} (kept: by rule)",
    )


def test_nothing_to_decide_is_no_line() -> None:
    assert render([]) == ()


def test_no_action_is_left_out() -> None:
    for action in Action:
        assert any(str(CONFIG) in line for line in render([Decision(action, CONFIG, "why")]))
