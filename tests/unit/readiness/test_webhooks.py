"""When webhook configurations are ready."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.related import MISSING
from hook.readiness.state import State
from tests.unit.readiness.samples import judged, live, state

RULES = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
BUNDLE = "Y2VydA=="
SERVICE = {"service": {"namespace": "ns", "name": "hook"}}
WITH_ENDPOINT: dict[str, Any] = {"endpoints": {("ns", "hook"): 1}}
WITHOUT: dict[str, Any] = {"endpoints": {("ns", "hook"): 0}}


def webhook(rules: Any = RULES, **client: Any) -> Object:
    return {"name": "check.example.org", "rules": rules, "clientConfig": client}


def configuration(*webhooks: Any, kind: str = "ValidatingWebhookConfiguration") -> Object:
    return live("admissionregistration.k8s.io/v1", kind, webhooks=list(webhooks))


@pytest.mark.parametrize("kind", ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])
def test_a_ready_endpoint_and_a_bundle_are_ready(kind: str) -> None:
    verdict = judged(configuration(webhook(**SERVICE, caBundle=BUNDLE), kind=kind), **WITH_ENDPOINT)
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


@pytest.mark.parametrize("kind", ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])
def test_no_ready_endpoint_is_in_progress_and_names_the_service(kind: str) -> None:
    verdict = judged(configuration(webhook(**SERVICE, caBundle=BUNDLE), kind=kind), **WITHOUT)
    assert (verdict.state, verdict.waiting_for) == (State.IN_PROGRESS, "a ready endpoint of Service ns/hook")


def test_a_missing_service_is_in_progress() -> None:
    told: dict[str, Any] = {"services": {("ns", "hook"): MISSING}}
    assert state(configuration(webhook(**SERVICE, caBundle=BUNDLE)), **told) is State.IN_PROGRESS


def test_a_service_that_cannot_be_looked_at_is_warned_about() -> None:
    verdict = judged(configuration(webhook(**SERVICE, caBundle=BUNDLE)))
    assert verdict.state is State.CURRENT
    assert "Service ns/hook" in (verdict.warning or "")


@pytest.mark.parametrize("bundle", [None, ""])
def test_rules_without_a_bundle_are_in_progress(bundle: str | None) -> None:
    assert state(configuration(webhook(**SERVICE, caBundle=bundle)), **WITH_ENDPOINT) is State.IN_PROGRESS


@pytest.mark.parametrize("rules", [None, []])
def test_without_rules_no_bundle_is_needed_but_an_endpoint_is(rules: Any) -> None:
    """Knative's webhooks fill rules and bundle in when their pods run."""
    assert state(configuration(webhook(rules, **SERVICE)), **WITH_ENDPOINT) is State.CURRENT
    assert state(configuration(webhook(rules, **SERVICE)), **WITHOUT) is State.IN_PROGRESS


def test_a_url_needs_no_bundle() -> None:
    assert state(configuration(webhook(url="https://example.org/check"))) is State.CURRENT


def test_nothing_to_call_is_in_progress() -> None:
    assert state(configuration(webhook())) is State.IN_PROGRESS


def test_the_last_of_several_webhooks_counts_too() -> None:
    first = webhook(url="https://example.org/check")
    assert state(configuration(first, webhook(**SERVICE)), **WITH_ENDPOINT) is State.IN_PROGRESS


def test_no_webhooks_are_ready() -> None:
    assert state(configuration()) is State.CURRENT


@pytest.mark.parametrize("odd", ["text", 5, {"a": 1}, ["text"], [None]])
def test_odd_webhooks_are_in_progress(odd: Any) -> None:
    assert state({**configuration(), "webhooks": odd}) is State.IN_PROGRESS
