"""Ready addresses behind a Service."""

from __future__ import annotations

from typing import Any

import pytest

from hook.readiness.endpoints import is_ready_pod, ready_in_endpoints, ready_in_slice
from tests.unit.readiness.samples import condition, live


@pytest.mark.parametrize(
    ("endpoint", "ready"),
    [
        ({"addresses": ["192.0.2.1"], "conditions": {"ready": True}}, 1),
        ({"addresses": ["192.0.2.1"], "conditions": {"ready": None}}, 1),
        ({"addresses": ["192.0.2.1"]}, 1),
        ({"addresses": ["192.0.2.1"], "conditions": {"ready": False}}, 0),
        ({"addresses": ["192.0.2.1"], "conditions": {"ready": False, "serving": True}}, 0),
        ({"addresses": [], "conditions": {"ready": True}}, 0),
    ],
)
def test_an_endpoint_of_a_slice_is_ready_unless_it_says_otherwise(endpoint: Any, ready: int) -> None:
    assert ready_in_slice({"endpoints": [endpoint]}) == ready


@pytest.mark.parametrize("endpoints", [None, []])
def test_an_empty_slice_has_none(endpoints: Any) -> None:
    assert ready_in_slice({"endpoints": endpoints}) == 0


def test_endpoints_list_ready_addresses_apart() -> None:
    subsets = [{"addresses": [{"ip": "a"}, {"ip": "b"}], "notReadyAddresses": [{"ip": "c"}]}, {"addresses": None}]
    assert ready_in_endpoints({"subsets": subsets}) == 2


def test_a_terminating_pod_is_not_ready() -> None:
    pod = live("v1", "Pod", status={"conditions": [condition("Ready")]})
    assert is_ready_pod(pod)
    pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert not is_ready_pod(pod)
