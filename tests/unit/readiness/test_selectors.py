"""Label selectors of Services and workloads."""

from __future__ import annotations

from typing import Any

import pytest

from hook.readiness.selectors import matches, selects

LABELS = {"app": "web", "tier": "front"}


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"app": "web"}, True),
        ({"app": "web", "tier": "front"}, True),
        ({"app": "web", "tier": "back"}, False),
        ({"app": "web", "zone": "a"}, False),
        ({}, False),
    ],
)
def test_a_service_selects_by_all_of_its_labels(selector: dict[str, str], expected: bool) -> None:
    assert selects(selector, LABELS) is expected


@pytest.mark.parametrize(
    ("operator", "key", "values", "expected"),
    [
        ("In", "app", ["api", "web"], True),
        ("In", "app", ["api"], False),
        ("In", "zone", ["a"], False),
        ("NotIn", "app", ["api"], True),
        ("NotIn", "app", ["web"], False),
        ("NotIn", "zone", ["a"], True),
        ("Exists", "app", None, True),
        ("Exists", "zone", None, False),
        ("DoesNotExist", "zone", None, True),
        ("DoesNotExist", "app", None, False),
        ("Near", "app", ["web"], False),
    ],
)
def test_a_workload_selects_by_expressions_too(operator: str, key: str, values: Any, expected: bool) -> None:
    selector = {
        "matchLabels": {"tier": "front"},
        "matchExpressions": [{"key": key, "operator": operator, "values": values}],
    }
    assert matches(selector, LABELS) is expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [({"matchLabels": {"app": "web"}}, True), ({"matchLabels": {"app": "x"}}, False), ({}, False)],
)
def test_a_workload_selects_by_labels(selector: dict[str, Any], expected: bool) -> None:
    assert matches(selector, LABELS) is expected
