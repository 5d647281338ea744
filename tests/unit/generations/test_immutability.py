from __future__ import annotations

from dataclasses import dataclass

import pytest

from hook.generations.immutability import immutable_changes, recreate_allowed, recreates_by_itself
from hook.manifests.identity import Kind
from tests.unit.generations.live_objects import deployment

JOB = Kind("batch", "Job")
SERVICE = Kind("", "Service")


@dataclass(frozen=True)
class Cause:
    field: str
    message: str = "Invalid value: ...: field is immutable"
    reason: str = "FieldValueInvalid"


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (JOB, Cause("spec.template")),
        (JOB, Cause("spec.template.spec")),
        (Kind("apps", "Deployment"), Cause("spec.selector")),
        (
            Kind("apps", "StatefulSet"),
            Cause("spec", "Forbidden: updates to statefulset spec for fields other than ...", "FieldValueForbidden"),
        ),
        (SERVICE, Cause("spec.clusterIPs[0]", 'Invalid value: "": may not change once set')),
        (
            Kind("rbac.authorization.k8s.io", "RoleBinding"),
            Cause("roleRef", "Invalid value: ...: cannot change roleRef"),
        ),
        (
            Kind("", "ConfigMap"),
            Cause("data", "Forbidden: field is immutable when `immutable` is set", "FieldValueForbidden"),
        ),
        (
            Kind("storage.k8s.io", "StorageClass"),
            Cause("provisioner", "Forbidden: updates to provisioner are forbidden.", "FieldValueForbidden"),
        ),
    ],
)
def test_known_pairs_are_immutable(kind: Kind, cause: Cause) -> None:
    assert immutable_changes(kind, [cause]) == (cause.field.removesuffix("[0]"),)


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (SERVICE, Cause("spec.ports[0].nodePort", "Invalid value: 99999: provided port is not in the valid range")),
        (SERVICE, Cause("spec.clusterIPs[0]", 'Invalid value: "field is immutable": must be a valid IP address')),
        (Kind("", "ConfigMap"), Cause("metadata.name", "Invalid value: ...: field is immutable")),
        (JOB, Cause("metadata.uid", "Invalid value: ...: field is immutable")),
        (JOB, Cause("spec.template", "Required value: field is immutable", "FieldValueRequired")),
        (Kind("example.org", "Job"), Cause("spec.template")),
        (Kind("apiextensions.k8s.io", "CustomResourceDefinition"), Cause("spec.scope")),
    ],
)
def test_anything_else_is_not(kind: Kind, cause: Cause) -> None:
    assert immutable_changes(kind, [cause]) is None


def test_one_other_cause_is_enough_to_say_no() -> None:
    """The object would be deleted, and then the new one refused."""
    assert immutable_changes(JOB, [Cause("spec.template"), Cause("spec.backoffLimit", "Invalid value: -1")]) is None


def test_a_refusal_without_causes_is_not_about_immutable_fields() -> None:
    assert immutable_changes(JOB, []) is None


def test_each_field_is_named_once() -> None:
    causes = [
        Cause("spec.clusterIPs[0]", "may not change once set"),
        Cause("spec.clusterIPs[1]", "may not change once set"),
    ]
    assert immutable_changes(SERVICE, causes) == ("spec.clusterIPs",)


def test_only_a_job_is_recreated_without_asking() -> None:
    assert recreates_by_itself(JOB)
    assert not recreates_by_itself(Kind("apps", "Deployment"))


def test_recreating_is_allowed_by_object() -> None:
    obj = deployment()
    assert not recreate_allowed(obj, [])
    assert not recreate_allowed(obj, ["Deployment/other"])
    assert recreate_allowed(obj, ["Deployment/front"])
    obj["metadata"]["annotations"] = {"installersets.io/recreate": "allowed"}
    assert recreate_allowed(obj, [])
