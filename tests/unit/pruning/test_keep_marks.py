"""Keep marks of the ecosystem, read from the live object."""

from __future__ import annotations

import pytest

from hook.pruning.action import Action
from tests.unit.pruning.world import OURS, decided, present

KEEPING = [
    ("installersets.io/prune", "disabled"),
    ("helm.sh/resource-policy", "keep"),
    ("helm.sh/resource-policy", " Keep "),
    ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    ("kustomize.toolkit.fluxcd.io/prune", "Disabled"),
    ("argocd.argoproj.io/sync-options", "Prune=false"),
    ("argocd.argoproj.io/sync-options", "Validate=false, Prune=false"),
    ("argocd.argoproj.io/sync-options", "Prune=confirm"),
]
LETTING_GO = [
    ("installersets.io/prune", "enabled"),
    ("helm.sh/resource-policy", "delete"),
    ("argocd.argoproj.io/sync-options", "PruneLast=true"),
    ("argocd.argoproj.io/sync-options", "Delete=false"),
    ("example.org/prune", "disabled"),
]


@pytest.mark.parametrize(("key", "value"), KEEPING)
def test_a_keep_mark_retains_the_object_and_is_named(key: str, value: str) -> None:
    decision = decided(live=present(annotations={key: value}))
    assert decision.action is Action.RETAIN
    assert key in decision.reason


@pytest.mark.parametrize(("key", "value"), KEEPING)
def test_removal_gives_up_what_carries_a_keep_mark(key: str, value: str) -> None:
    assert decided(live=present(annotations={key: value}), removing=True).action is Action.GIVE_UP


@pytest.mark.parametrize(("key", "value"), LETTING_GO)
def test_other_annotations_keep_nothing(key: str, value: str) -> None:
    assert decided(live=present(annotations={key: value})).action is Action.DELETE


def test_flux_reads_its_mark_from_labels_too() -> None:
    labels = {**OURS, "kustomize.toolkit.fluxcd.io/prune": "disabled"}
    assert decided(live=present(labels=labels)).action is Action.RETAIN


def test_what_argo_cd_keeps_when_an_application_is_deleted_survives_a_removal() -> None:
    live = present(annotations={"argocd.argoproj.io/sync-options": "Delete=false"})
    assert decided(live=live, removing=True).action is Action.GIVE_UP
