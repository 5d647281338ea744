"""Which claims are mounted."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.volumes import mounts_claim
from tests.unit.readiness.samples import live

MOUNTING = {"volumes": [{"name": "tmp", "emptyDir": {}}, {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
TEMPLATE = {"template": {"spec": MOUNTING}}


@pytest.mark.parametrize(
    "obj",
    [
        live("v1", "Pod", spec=MOUNTING),
        live("apps/v1", "Deployment", spec=TEMPLATE),
        live("batch/v1", "Job", spec=TEMPLATE),
        live("batch/v1", "CronJob", spec={"jobTemplate": {"spec": TEMPLATE}}),
    ],
)
def test_a_pod_and_whatever_has_a_template_mounts_its_claims(obj: Object) -> None:
    assert mounts_claim(obj, "ns", "data")
    assert not mounts_claim(obj, "ns", "other")
    assert not mounts_claim(obj, "elsewhere", "data")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("disk-x-0", True),
        ("disk-x-12", True),
        ("disk-x-", False),
        ("disk-x-a", False),
        ("disk-y-0", False),
        ("disk", False),
    ],
)
def test_a_stateful_set_mounts_the_claims_of_its_templates(name: str, expected: bool) -> None:
    templates = [{"metadata": {"name": "disk"}}]
    assert (
        mounts_claim(live("apps/v1", "StatefulSet", spec={"volumeClaimTemplates": templates}), "ns", name) is expected
    )


def test_a_pod_mounts_the_claims_of_its_ephemeral_volumes() -> None:
    spec: dict[str, Any] = {"volumes": [{"name": "scratch", "ephemeral": {}}]}
    assert mounts_claim(live("v1", "Pod", spec=spec), "ns", "x-scratch")


def test_what_has_no_pods_mounts_nothing() -> None:
    assert not mounts_claim(live("v1", "ConfigMap", data={"volumes": "data"}), "ns", "data")
