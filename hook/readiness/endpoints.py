"""Ready addresses behind a Service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.readiness.conditions import conditions_of
from hook.readiness.fields import flag, mapping, mappings, sequence


def ready_in_slice(endpoint_slice: Mapping[str, Any]) -> int:
    """How many endpoints of an EndpointSlice are ready: `ready` unset counts as ready (API reference)."""
    ready = 0
    for endpoint in mappings(endpoint_slice, "endpoints"):
        conditions = mapping(endpoint, "conditions", "endpoints[]")
        unset = conditions.get("ready") is None
        if sequence(endpoint, "addresses", "endpoints[]") and (unset or flag(conditions, "ready")):
            ready += 1
    return ready


def ready_in_endpoints(endpoints: Mapping[str, Any]) -> int:
    """How many ready addresses an Endpoints object lists."""
    return sum(len(sequence(subset, "addresses", "subsets[]")) for subset in mappings(endpoints, "subsets"))


def is_ready_pod(pod: Mapping[str, Any]) -> bool:
    """Whether a Service sends requests to this Pod."""
    return mapping(pod, "metadata").get("deletionTimestamp") is None and conditions_of(pod).is_true("Ready")
