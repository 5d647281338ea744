"""Objects that another tool took over while they still carry our mark."""

from __future__ import annotations

from typing import Any

import pytest

from hook.pruning.action import Action
from tests.unit.pruning.world import OURS, decided, present

CLAIMS: list[tuple[str, dict[str, Any]]] = [
    ("argocd-controller", {"annotations": {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:x/conf"}}),
    ("helm", {"annotations": {"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "x"}}),
    ("kustomize-controller", {"labels": {**OURS, "kustomize.toolkit.fluxcd.io/name": "web"}}),
]


@pytest.mark.parametrize(("manager", "marks"), CLAIMS)
def test_what_another_tool_marked_and_wrote_is_given_up(manager: str, marks: dict[str, Any]) -> None:
    decision = decided(live=present(managedFields=[{"manager": manager, "operation": "Apply"}], **marks))
    assert decision.action is Action.GIVE_UP
    assert "web" in decision.reason
    assert decision.resource_version == "7"


@pytest.mark.parametrize(("manager", "marks"), CLAIMS)
def test_the_mark_alone_may_come_from_our_manifest(manager: str, marks: dict[str, Any]) -> None:
    decision = decided(live=present(managedFields=[{"manager": "handoff:sets:shop"}], **marks))
    assert decision.action is Action.DELETE


def test_a_tracking_id_that_was_copied_from_another_object_is_no_claim() -> None:
    copied = {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:x/another"}
    live = present(annotations=copied, managedFields=[{"manager": "argocd-controller"}])
    assert decided(live=live).action is Action.DELETE
