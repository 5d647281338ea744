from __future__ import annotations

from typing import Any

import pytest

from hook.generations.foreign_owners import foreign_owner
from hook.manifests.identity import Identity
from tests.unit.generations.live_objects import entry

CONF = Identity("", "ConfigMap", "shop", "conf")


def found(**metadata: Any) -> str:
    return str(foreign_owner(metadata, CONF) or "")


def test_a_helm_release_is_told_by_the_annotations_that_helm_writes() -> None:
    annotations = {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "shop"}
    assert found(annotations=annotations) == "Helm release shop/web"


def test_the_labels_that_rendered_charts_carry_are_no_sign() -> None:
    labels = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "web", "helm.sh/chart": "web-1"}
    assert found(labels=labels) == ""


@pytest.mark.parametrize("group", ["", "old.example.org"])
def test_a_tracking_id_of_argo_cd_that_names_the_object(group: str) -> None:
    annotations = {"argocd.argoproj.io/tracking-id": f"web:{group}/ConfigMap:shop/conf"}
    assert found(annotations=annotations) == "Argo CD application web"


def test_a_tracking_id_that_was_copied_from_another_object_is_no_sign() -> None:
    annotations = {"argocd.argoproj.io/tracking-id": "web:apps/Deployment:shop/web"}
    assert found(annotations=annotations) == ""


def test_tracking_by_label_counts_when_argo_cd_wrote_the_label() -> None:
    labels = {"app.kubernetes.io/instance": "web"}
    fields: dict[str, Any] = {"f:metadata": {"f:labels": {"f:app.kubernetes.io/instance": {}}}}
    assert found(labels=labels, managedFields=[entry(fields, "argocd-controller")]) == "Argo CD application web"
    assert found(labels=labels, managedFields=[entry(fields, "kubectl")]) == ""


@pytest.mark.parametrize(
    ("labels", "owner"),
    [
        (
            {"kustomize.toolkit.fluxcd.io/name": "web", "kustomize.toolkit.fluxcd.io/namespace": "flux"},
            "Flux Kustomization flux/web",
        ),
        (
            {"helm.toolkit.fluxcd.io/name": "web", "helm.toolkit.fluxcd.io/namespace": "flux"},
            "Flux HelmRelease flux/web",
        ),
        ({"kapp.k14s.io/app": "123"}, "kapp application 123"),
        ({"applyset.kubernetes.io/part-of": "id"}, "ApplySet id"),
    ],
)
def test_labels_of_other_tools(labels: dict[str, str], owner: str) -> None:
    assert found(labels=labels) == owner


def test_a_controller_is_an_owner_and_comes_first() -> None:
    references = [{"kind": "Node", "name": "a"}, {"kind": "TektonInstallerSet", "name": "main-1", "controller": True}]
    annotations = {"meta.helm.sh/release-name": "web"}
    assert found(ownerReferences=references, annotations=annotations) == "controller TektonInstallerSet/main-1"


def test_an_owner_that_does_not_control_is_none() -> None:
    assert found(ownerReferences=[{"kind": "Node", "name": "a"}]) == ""
