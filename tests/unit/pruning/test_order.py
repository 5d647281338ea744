"""The order of deletion and the policy that goes with each."""

from __future__ import annotations

import pytest

from hook.manifests.identity import Identity, Kind
from hook.pruning.order import PrunePhase, phase_of, propagation_of, stages
from tests.unit.pruning.world import CONFIG, CRD, DEPLOYMENT, NS, PVC

WEBHOOK = Identity("admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "", "v")
GEAR = Identity("example.org", "Gear", "a", "one")
API_SERVICE = Identity("apiregistration.k8s.io", "APIService", "", "v1.stats.example.org")
ROLE = Identity("rbac.authorization.k8s.io", "Role", "x", "r")
BINDING = Identity("rbac.authorization.k8s.io", "RoleBinding", "x", "r")


@pytest.mark.parametrize(
    ("identity", "phase"),
    [
        (WEBHOOK, PrunePhase.WEBHOOKS),
        (Identity("admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "", "p"), PrunePhase.REST),
        (GEAR, PrunePhase.CUSTOM_RESOURCES),
        (Identity("gateway.networking.k8s.io", "Gateway", "a", "g"), PrunePhase.CUSTOM_RESOURCES),
        (API_SERVICE, PrunePhase.API_SERVICES),
        (DEPLOYMENT, PrunePhase.WORKLOADS),
        (Identity("batch", "Job", "x", "j"), PrunePhase.WORKLOADS),
        (CONFIG, PrunePhase.REST),
        (ROLE, PrunePhase.REST),
        (CRD, PrunePhase.CRDS),
        (NS, PrunePhase.NAMESPACES),
        (Identity("example.org", "Namespace", "a", "n"), PrunePhase.CUSTOM_RESOURCES),
    ],
)
def test_each_resource_has_its_phase(identity: Identity, phase: PrunePhase) -> None:
    assert phase_of(identity) is phase


def test_stages_come_in_the_order_of_deletion_and_roles_after_their_bindings() -> None:
    everything = [NS, CRD, ROLE, BINDING, CONFIG, DEPLOYMENT, API_SERVICE, GEAR, WEBHOOK]
    order = [stage.members for stage in stages(everything)]
    assert order == [
        (WEBHOOK,), (GEAR,), (API_SERVICE,), (DEPLOYMENT,), (CONFIG, BINDING), (ROLE,), (CRD,), (NS,),
    ]  # fmt: skip


def test_a_stage_lists_each_resource_once() -> None:
    assert stages([CONFIG, CONFIG])[0].members == (CONFIG,)


@pytest.mark.parametrize("kind", [Kind("batch", "Job"), Kind("apps", "StatefulSet"), Kind("", "Pod")])
def test_workloads_go_in_the_foreground(kind: Kind) -> None:
    assert propagation_of(kind) == "Foreground"


@pytest.mark.parametrize("identity", [CONFIG, PVC, GEAR, NS, CRD])
def test_all_else_goes_in_the_background(identity: Identity) -> None:
    assert propagation_of(identity.of_kind) == "Background"
