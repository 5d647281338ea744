"""Label selectors, as Services and workloads have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.readiness.fields import mapping, mappings, sequence, text


def selects(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether a Service's selector matches; an empty one matches nothing."""
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def matches(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether a workload's selector (matchLabels, matchExpressions) matches; an empty one matches nothing."""
    wanted = mapping(selector, "matchLabels", "spec.selector")
    expressions = mappings(selector, "matchExpressions", "spec.selector")
    if not wanted and not expressions:
        return False
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(expression, labels) for expression in expressions
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    path = "spec.selector.matchExpressions[]"
    value = labels.get(text(expression, "key", path))
    values = sequence(expression, "values", path)
    match text(expression, "operator", path):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False
