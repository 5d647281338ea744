"""Which kinds have to be watched."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.annotations import WAIT_FOR
from hook.manifests.identity import Kind
from hook.readiness.assess import needs_status
from tests.unit.readiness.samples import live

SERVICE = Kind("", "Service")


@pytest.mark.parametrize("kind", [Kind("", "ConfigMap"), Kind("", "Secret"), Kind("rbac.authorization.k8s.io", "Role")])
def test_what_is_ready_by_existing_needs_no_status(kind: Kind) -> None:
    assert not needs_status(kind)


@pytest.mark.parametrize(
    "kind", [Kind("apps", "Deployment"), Kind("example.org", "Secret"), SERVICE, Kind("batch", "Job")]
)
def test_the_rest_does(kind: Kind) -> None:
    assert needs_status(kind)


@pytest.mark.parametrize(
    ("spec", "annotations", "expected"),
    [
        ({}, {}, False),
        ({"type": "ClusterIP"}, {}, False),
        ({"type": "LoadBalancer"}, {}, True),
        ({}, {WAIT_FOR: "endpoints"}, True),
    ],
)
def test_a_service_does_where_its_manifest_leaves_something_to_wait_for(
    spec: Any, annotations: Any, expected: bool
) -> None:
    assert needs_status(SERVICE, live("v1", "Service", metadata={"annotations": annotations}, spec=spec)) is expected


@pytest.mark.parametrize(("annotations", "expected"), [({}, False), ({WAIT_FOR: "load-balancer"}, True)])
def test_an_ingress_does_where_an_address_is_asked_for(annotations: Any, expected: bool) -> None:
    manifest = live("networking.k8s.io/v1", "Ingress", metadata={"annotations": annotations})
    assert needs_status(Kind("networking.k8s.io", "Ingress"), manifest) is expected
