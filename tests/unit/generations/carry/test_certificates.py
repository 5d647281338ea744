"""CA bundles of webhooks, conversions and APIServices."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from hook.generations.carry.certificates import trusted_ahead
from hook.generations.carry_over import cannot_carry, carry_over
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied

SERVICE = {"name": "hook", "namespace": "shop"}


def bundle(*names: str) -> str:
    text = "".join(f"-----BEGIN CERTIFICATE-----\n{name}\n-----END CERTIFICATE-----\n" for name in names)
    return base64.b64encode(text.encode()).decode()


def certificates(encoded: str) -> list[str]:
    lines = base64.b64decode(encoded).decode().splitlines()
    return [line for line in lines if line and not line.startswith("-----")]


def webhooks(**config: Any) -> Object:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "shop"},
        "webhooks": [{"name": "a.example.org", "clientConfig": {"service": SERVICE, **config}}],
    }


def definition(**config: Any) -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "gears.example.org"},
        "spec": {
            "versions": [],
            "conversion": {"strategy": "Webhook", "webhook": {"clientConfig": {"service": SERVICE, **config}}},
        },
    }


def api_service(**config: Any) -> Object:
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1.example.org"},
        "spec": {"service": SERVICE, **config},
    }


def bundle_of(obj: Object) -> str:
    if obj["kind"] == "APIService":
        found = obj["spec"]["caBundle"]
    elif obj["kind"] == "CustomResourceDefinition":
        found = obj["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"]
    else:
        found = obj["webhooks"][0]["clientConfig"]["caBundle"]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("make", [webhooks, definition, api_service])
def test_a_changed_bundle_becomes_old_and_new(make: Any) -> None:
    carried = carry_over(make(caBundle=bundle("new")), applied(make(caBundle=bundle("old"))), OURS)
    assert certificates(bundle_of(carried.obj)) == ["old", "new"]


@pytest.mark.parametrize("make", [webhooks, definition, api_service])
def test_joined_bundles_stay_as_they_are_when_joined_again(make: Any) -> None:
    first = carry_over(make(caBundle=bundle("new")), applied(make(caBundle=bundle("old"))), OURS)
    second = carry_over(make(caBundle=bundle("new")), applied(first.obj), OURS)
    assert (second.obj, second.digest) == (first.obj, first.digest)


def test_certificates_are_the_same_whatever_their_white_space() -> None:
    spaced = base64.b64encode(b"\n\n" + base64.b64decode(bundle("one")).replace(b"\n", b"\r\n")).decode()
    assert carry_over(webhooks(caBundle=bundle("one")), applied(webhooks(caBundle=spaced)), OURS).digest == ""


def test_a_bundle_that_grows_is_applied_as_it_is() -> None:
    desired = webhooks(caBundle=bundle("new", "old"))
    assert carry_over(desired, applied(webhooks(caBundle=bundle("old"))), OURS).obj == desired


def test_a_bundle_that_the_manifest_drops_stays_if_it_was_ours() -> None:
    live = applied(webhooks(caBundle=bundle("old")))
    assert certificates(bundle_of(carry_over(webhooks(), live, OURS).obj)) == ["old"]


def test_a_bundle_that_somebody_injected_is_left_to_them() -> None:
    live = applied(webhooks())
    live["webhooks"][0]["clientConfig"]["caBundle"] = bundle("injected")
    assert carry_over(webhooks(), live, OURS).obj == webhooks()


def test_another_endpoint_does_not_get_the_old_endpoints_bundle() -> None:
    desired = webhooks(caBundle=bundle("new"), service={"name": "other", "namespace": "shop"})
    assert carry_over(desired, applied(webhooks(caBundle=bundle("old"))), OURS).obj == desired


def test_an_api_service_that_skips_verification_gets_no_bundle() -> None:
    """The two exclude each other."""
    desired = api_service(insecureSkipTLSVerify=True)
    assert carry_over(desired, applied(api_service(caBundle=bundle("old"))), OURS).obj == desired


def test_bundles_that_are_no_pem_are_named_instead() -> None:
    desired, live = webhooks(caBundle="bmV3"), applied(webhooks(caBundle="b2xk"))
    assert carry_over(desired, live, OURS).obj == desired
    assert len(cannot_carry(desired, live, OURS)) == 1


def test_a_new_webhook_has_nothing_to_carry() -> None:
    live = applied(webhooks(caBundle=bundle("old")))
    desired = webhooks(caBundle=bundle("new"))
    desired["webhooks"][0]["name"] = "b.example.org"
    assert carry_over(desired, live, OURS).obj == desired


@pytest.mark.parametrize(
    ("make", "path"),
    [(webhooks, ("webhooks", 0, "clientConfig", "caBundle")), (api_service, ("spec", "caBundle"))],
)
def test_what_is_trusted_ahead_is_the_old_and_then_the_new(make: Any, path: tuple[str | int, ...]) -> None:
    ahead = trusted_ahead(make(caBundle=bundle("new")), make(caBundle=bundle("old")))
    assert {where: certificates(found) for where, found in ahead.items()} == {path: ["old", "new"]}


def test_what_is_trusted_ahead_is_found_at_its_place_in_the_live_object() -> None:
    live = webhooks(caBundle=bundle("old"))
    live["webhooks"].insert(0, {"name": "other", "clientConfig": {"service": SERVICE, "caBundle": bundle("x")}})
    (path,) = trusted_ahead(webhooks(caBundle=bundle("new")), live)
    assert path == ("webhooks", 1, "clientConfig", "caBundle")


@pytest.mark.parametrize(
    "live",
    [
        webhooks(caBundle=bundle("new", "old")),
        webhooks(),
        webhooks(caBundle="bm8gUEVN"),
        webhooks(caBundle=bundle("old"), service={**SERVICE, "name": "another"}),
    ],
    ids=["trusted already", "no bundle", "no PEM", "another Service"],
)
def test_nothing_is_trusted_ahead(live: Object) -> None:
    assert trusted_ahead(webhooks(caBundle=bundle("new")), live) == {}
