"""Parts and waves: who records a manifest, and when it is applied."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hook.manifests.identity import Kind
from hook.manifests.parts import Part, part_of
from hook.manifests.references import called_services
from hook.manifests.waves import Wave, api_services_of, served_by, wave_of
from tests.unit.manifests.inputs import loaded


def obj(api_version: str, kind: str, **content: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}} | content


API_SERVICE = obj(
    "apiregistration.k8s.io/v1",
    "APIService",
    spec={"group": "stats.example.org", "version": "v1", "service": {"namespace": "shop", "name": "stats"}},
)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (Kind("apps", "Deployment"), Part.DEPLOYMENT),
        (Kind("", "Service"), Part.DEPLOYMENT),
        (Kind("apps", "StatefulSet"), Part.STATEFULSET),
        (Kind("apps", "DaemonSet"), Part.STATIC),
        (Kind("", "ConfigMap"), Part.STATIC),
        (Kind("serving.knative.dev", "Service"), Part.STATIC),
        (Kind("extensions", "Deployment"), Part.STATIC),
    ],
)
def test_part_of_a_kind(kind: Kind, part: Part) -> None:
    assert part_of(kind) is part


@pytest.mark.parametrize(
    ("api_version", "kind", "wave"),
    [
        ("v1", "Namespace", Wave.NAMESPACES),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", Wave.NAMESPACES),
        ("rbac.authorization.k8s.io/v1", "Role", Wave.ROLES),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", Wave.ROLES),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", Wave.CONFIGURATION),
        ("v1", "ServiceAccount", Wave.CONFIGURATION),
        ("v1", "Secret", Wave.CONFIGURATION),
        ("v1", "PersistentVolumeClaim", Wave.CONFIGURATION),
        ("v1", "Service", Wave.CONFIGURATION),
        ("policy/v1", "PodDisruptionBudget", Wave.CONFIGURATION),
        ("networking.k8s.io/v1", "Ingress", Wave.CONFIGURATION),
        ("scheduling.k8s.io/v1", "PriorityClass", Wave.CONFIGURATION),
        ("apps/v1", "Deployment", Wave.WORKLOADS),
        ("apps/v1", "DaemonSet", Wave.WORKLOADS),
        ("batch/v1", "Job", Wave.WORKLOADS),
        ("batch/v1", "CronJob", Wave.WORKLOADS),
        ("v1", "Pod", Wave.WORKLOADS),
        ("autoscaling/v2", "HorizontalPodAutoscaler", Wave.WORKLOADS),
        ("example.org/v1", "Gear", Wave.CUSTOM_RESOURCES),
        ("gateway.networking.k8s.io/v1", "Gateway", Wave.CUSTOM_RESOURCES),
        ("apiregistration.k8s.io/v1", "APIService", Wave.API_SERVICES),
        ("stats.example.org/v1", "Figure", Wave.SERVED),
        ("stats.example.org/v2", "Figure", Wave.CUSTOM_RESOURCES),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", Wave.WEBHOOKS),
        ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", Wave.WEBHOOKS),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", Wave.WEBHOOKS),
    ],
)
def test_wave_of_a_kind(api_version: str, kind: str, wave: Wave) -> None:
    (manifest,) = loaded(json.dumps(obj(api_version, kind))).items
    assert wave_of(manifest, {("stats.example.org", "v1")}) is wave


def test_api_services_tell_what_they_serve() -> None:
    local = obj("apiregistration.k8s.io/v1", "APIService", spec={"group": "apps", "version": "v1", "service": None})
    local["metadata"]["name"] = "v1.apps"
    manifests = loaded(json.dumps(API_SERVICE) + json.dumps(local)).items
    assert api_services_of(manifests) == {("stats.example.org", "v1")}


def test_a_crd_tells_what_it_serves() -> None:
    versions = [{"name": "v1", "served": True}, {"name": "v0", "served": False}, {"name": "v2", "served": True}]
    crd = obj(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        spec={"group": "example.org", "names": {"kind": "Gear"}, "versions": versions},
    )
    assert served_by(crd) == ("example.org", "Gear", ("v1", "v2"))


@pytest.mark.parametrize(
    "spec", [None, 1, {}, {"group": "a", "names": 1, "versions": []}, {"group": "a", "names": {"kind": "b"}}]
)
def test_an_odd_crd_serves_nothing(spec: Any) -> None:
    assert served_by(obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)) == ("", "", ())


def client(name: str) -> dict[str, Any]:
    return {"service": {"namespace": "shop", "name": name}}


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (API_SERVICE, (("shop", "stats"),)),
        (
            obj(
                "admissionregistration.k8s.io/v1",
                "MutatingWebhookConfiguration",
                webhooks=[
                    {"clientConfig": client("hook")},
                    {"clientConfig": {"url": "https://x"}},
                    {"clientConfig": client("hook")},
                    {"clientConfig": client("other")},
                    None,
                ],
            ),
            (("shop", "hook"), ("shop", "other")),
        ),
        (
            obj(
                "apiextensions.k8s.io/v1",
                "CustomResourceDefinition",
                spec={"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": client("convert")}}},
            ),
            (("shop", "convert"),),
        ),
        (obj("v1", "ConfigMap", spec=client("x")), ()),
        (obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhooks="odd"), ()),
        (obj("apiregistration.k8s.io/v1", "APIService", spec={"service": {"name": 1}}), ()),
    ],
)
def test_services_that_the_api_server_calls(given: dict[str, Any], called: tuple[tuple[str, str], ...]) -> None:
    assert called_services(given) == called
