"""Plurals."""

from __future__ import annotations

import pytest

from hook.errors import InvalidInput
from hook.manifests.identity import Kind
from hook.rights.kinds import KnownKinds, builtin_plural

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "spec": {"group": "example.org", "scope": "Cluster", "names": {"kind": "Mouse", "plural": "mice"}},
}


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Deployment", "deployments"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("Endpoints", "endpoints"),
        ("CSIStorageCapacity", "csistoragecapacities"),
    ],
)
def test_kinds_of_kubernetes_are_named_by_its_rule(kind: str, plural: str) -> None:
    assert builtin_plural(kind) == plural


def test_other_kinds_are_named_by_their_definition() -> None:
    known = KnownKinds.defined_by([CRD])
    assert known.plural(Kind("example.org", "Mouse")) == "mice"
    assert known.namespaced(Kind("example.org", "Mouse")) is False


def test_a_plural_is_never_guessed() -> None:
    with pytest.raises(InvalidInput, match=r"Mouse\.example\.org: its plural is not known.*--kubeconfig"):
        KnownKinds().plural(Kind("example.org", "Mouse"))


@pytest.mark.parametrize("spec", [None, {}, {"names": "mice"}, {"group": "example.org", "names": {"kind": "Mouse"}}])
def test_a_definition_that_does_not_say_it_defines_nothing(spec: object) -> None:
    assert KnownKinds.defined_by([{**CRD, "spec": spec}]).plurals == {}
