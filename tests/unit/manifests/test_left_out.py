"""Hooks that do not run at an installation are left out and reported."""

from __future__ import annotations

import json

import pytest

from tests.unit.manifests.inputs import config_map, loaded, refusal

HELM = "helm.sh/hook"
ARGO = "argocd.argoproj.io/hook"


@pytest.mark.parametrize(
    "annotations",
    [
        {HELM: "test"},
        {HELM: "test-success"},
        {HELM: "pre-delete"},
        {HELM: "post-delete, post-rollback"},
        {HELM: "pre-rollback"},
        {ARGO: "PreDelete"},
        {ARGO: "PostDelete"},
        {ARGO: "SyncFail"},
        {ARGO: "Skip"},
        {ARGO: "SyncFail,PostDelete"},
        {ARGO: "Skip", HELM: "pre-install"},
    ],
)
def test_hooks_of_another_time_are_left_out(annotations: dict[str, str]) -> None:
    manifests = loaded("\n" + json.dumps(config_map(annotations=annotations)))
    assert manifests.items == ()
    (one,) = manifests.left_out
    assert (str(one.identity), str(one.origin)) == ("ConfigMap front", "deploy.yaml:2")
    assert one.why.startswith((f"{HELM}: ", f"{ARGO}: "))


@pytest.mark.parametrize(
    "annotations",
    [
        {},
        {HELM: "pre-install"},
        {HELM: "post-install,post-upgrade,test"},
        {HELM: "crd-install"},
        {HELM: ""},
        {ARGO: "PreSync"},
        {ARGO: "Sync,SyncFail"},
        {ARGO: "NoSuchHook"},
        {ARGO: "PostSync", HELM: "test"},
        {"helm.sh/hook-weight": "1"},
    ],
)
def test_everything_else_is_installed(annotations: dict[str, str]) -> None:
    manifests = loaded(json.dumps(config_map(annotations=annotations)))
    assert len(manifests.items) == 1
    assert manifests.left_out == ()


def test_what_is_left_out_may_have_a_generated_name() -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "try-", "annotations": {HELM: "test"}}}
    (one,) = loaded(json.dumps(obj)).left_out
    assert str(one.identity) == "Pod try-*"


def test_what_is_left_out_must_still_be_an_object() -> None:
    obj = {"kind": "Pod", "metadata": {"name": "x", "annotations": {HELM: "test"}}}
    assert "apiVersion: is missing" in refusal(json.dumps(obj))


def test_what_is_left_out_does_not_count_as_a_duplicate() -> None:
    text = json.dumps(config_map()) + json.dumps(config_map(annotations={HELM: "pre-delete"}))
    manifests = loaded(text)
    assert (len(manifests.items), len(manifests.left_out)) == (1, 1)
