"""When CustomResourceDefinitions and APIServices are ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.related import MISSING
from hook.readiness.state import State
from tests.unit.readiness.samples import condition, judged, live, state

ACCEPTED, ESTABLISHED = condition("NamesAccepted"), condition("Established")
REFUSED = condition("NamesAccepted", "False", "ListKindConflict", message="already in use")
V1, V2 = ("example.org", "v1", "Gear"), ("example.org", "v2", "Gear")
BOTH_SERVED = {V1: True, V2: True}
WEBHOOK = {"strategy": "Webhook", "webhook": {"clientConfig": {"service": {"namespace": "ns", "name": "hook"}}}}


def crd(*conditions: Object, conversion: Object | None = None, served: bool = True) -> Object:
    spec = {
        "group": "example.org",
        "names": {"kind": "Gear", "plural": "gears"},
        "versions": [{"name": "v1", "served": True}, {"name": "v2", "served": served}],
        "conversion": conversion,
    }
    return live(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec, status={"conditions": list(conditions)}
    )


def test_established_and_in_discovery_is_ready() -> None:
    verdict = judged(crd(ACCEPTED, ESTABLISHED), served_kinds=BOTH_SERVED)
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


def test_established_and_not_yet_in_discovery_at_each_version_is_in_progress() -> None:
    verdict = judged(crd(ACCEPTED, ESTABLISHED), served_kinds={V1: True, V2: False})
    assert (verdict.state, verdict.waiting_for) == (State.IN_PROGRESS, "example.org/v2 Gear in discovery")


def test_a_version_that_is_not_served_is_not_looked_for() -> None:
    assert state(crd(ACCEPTED, ESTABLISHED, served=False), served_kinds={V1: True, V2: False}) is State.CURRENT


def test_discovery_that_cannot_be_looked_at_is_warned_about() -> None:
    verdict = judged(crd(ACCEPTED, ESTABLISHED), served_kinds={V1: True})
    assert verdict.state is State.CURRENT
    assert "discovery" in (verdict.warning or "")


@pytest.mark.parametrize(
    "conditions",
    [[], [ACCEPTED], [condition("Established", "False", "Installing")], [condition("Established", "Unknown")]],
)
def test_not_established_is_in_progress(conditions: list[Object]) -> None:
    assert state(crd(*conditions), served_kinds=BOTH_SERVED) is State.IN_PROGRESS


def test_refused_names_are_failed_and_tell_why() -> None:
    verdict = judged(crd(REFUSED, condition("Established", "False", "NotAccepted")))
    assert verdict.state is State.FAILED
    assert "already in use" in verdict.reason


def test_refused_names_of_an_established_one_are_in_progress_with_a_warning() -> None:
    verdict = judged(crd(REFUSED, ESTABLISHED), served_kinds=BOTH_SERVED)
    assert verdict.state is State.IN_PROGRESS
    assert verdict.warning


@pytest.mark.parametrize(
    ("service", "endpoints", "expected"),
    [
        ({"kind": "Service"}, 1, State.CURRENT),
        ({"kind": "Service"}, 0, State.IN_PROGRESS),
        (MISSING, 1, State.IN_PROGRESS),
    ],
)
def test_its_conversion_webhook_needs_a_ready_endpoint(service: Any, endpoints: int, expected: State) -> None:
    told = {"services": {("ns", "hook"): service}, "endpoints": {("ns", "hook"): endpoints}}
    assert state(crd(ACCEPTED, ESTABLISHED, conversion=WEBHOOK), served_kinds=BOTH_SERVED, **told) is expected


def test_a_conversion_webhook_that_cannot_be_looked_at_is_warned_about() -> None:
    verdict = judged(crd(ACCEPTED, ESTABLISHED, conversion=WEBHOOK), served_kinds=BOTH_SERVED)
    assert verdict.state is State.CURRENT
    assert "Service ns/hook" in (verdict.warning or "")


def test_without_conversion_no_service_is_looked_at() -> None:
    verdict = judged(crd(ACCEPTED, ESTABLISHED, conversion={"strategy": "None"}), served_kinds=BOTH_SERVED)
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


@pytest.mark.parametrize("odd", [5, [5], [{"name": 5, "served": True}], [{"name": "v1", "served": "yes"}]])
def test_odd_versions_are_in_progress(odd: Any) -> None:
    obj = crd(ACCEPTED, ESTABLISHED)
    obj["spec"]["versions"] = odd
    assert state(obj) is State.IN_PROGRESS


def api_service(*conditions: Object) -> Object:
    return live("apiregistration.k8s.io/v1", "APIService", spec={}, status={"conditions": list(conditions)})


def test_an_available_api_service_is_ready() -> None:
    assert state(api_service(condition("Available"))) is State.CURRENT


def test_an_unavailable_api_service_is_in_progress_and_tells_why() -> None:
    verdict = judged(api_service(condition("Available", "False", "MissingEndpoints", message="no endpoints for a/b")))
    assert verdict.state is State.IN_PROGRESS
    assert "MissingEndpoints: no endpoints for a/b" in verdict.reason


@pytest.mark.parametrize("conditions", [[], [condition("Available", "Unknown")], [condition("Other")]])
def test_an_api_service_that_nobody_has_looked_at_is_in_progress(conditions: list[Object]) -> None:
    assert state(api_service(*conditions)) is State.IN_PROGRESS
