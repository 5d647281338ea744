"""Rules of NetworkPolicies."""

from __future__ import annotations

from typing import Any

from hook.generations.carry_over import cannot_carry, carry_over
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied

WEB = {"from": [{"podSelector": {"matchLabels": {"app": "web"}}}]}
DNS = {"ports": [{"port": 53, "protocol": "UDP"}]}


def policy(**spec: Any) -> Object:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "shop", "namespace": "shop"},
        "spec": {"podSelector": {"matchLabels": {"app": "shop"}}, **spec},
    }


def live_policy(**spec: Any) -> Object:
    return applied(policy(**spec), "somebody")


def test_live_rules_follow_those_of_the_manifest_whoever_wrote_them() -> None:
    desired = policy(policyTypes=["Ingress"], ingress=[DNS])
    carried = carry_over(desired, live_policy(policyTypes=["Ingress"], ingress=[WEB]), OURS)
    assert carried.obj["spec"]["ingress"] == [DNS, WEB]


def test_a_rule_that_differs_by_defaults_only_is_not_doubled() -> None:
    desired = policy(policyTypes=["Ingress"], ingress=[{"ports": [{"port": 80}], "from": []}])
    live = live_policy(policyTypes=["Ingress"], ingress=[{"ports": [{"port": 80, "protocol": "TCP"}]}])
    assert carry_over(desired, live, OURS).digest == ""


def test_a_policy_that_denies_all_lets_through_what_it_let_through() -> None:
    carried = carry_over(policy(policyTypes=["Ingress"]), live_policy(policyTypes=["Ingress"], ingress=[WEB]), OURS)
    assert carried.obj["spec"]["ingress"] == [WEB]


def test_a_direction_that_closes_stays_open() -> None:
    desired = policy(policyTypes=["Ingress", "Egress"], ingress=[WEB], egress=[DNS])
    carried = carry_over(desired, live_policy(policyTypes=["Ingress"], ingress=[WEB]), OURS)
    assert carried.obj["spec"]["egress"] == [DNS, {}]
    assert carried.what == ("egress rule that allows all",)


def test_a_direction_that_opens_needs_nothing() -> None:
    live = live_policy(policyTypes=["Ingress", "Egress"], ingress=[WEB], egress=[DNS])
    assert carry_over(policy(policyTypes=["Ingress"], ingress=[WEB]), live, OURS).digest == ""


def test_directions_have_the_api_servers_defaults() -> None:
    """Ingress always, Egress where the policy has egress rules."""
    carried = carry_over(policy(egress=[DNS]), live_policy(policyTypes=["Ingress"]), OURS)
    assert carried.obj["spec"]["egress"] == [DNS, {}]


def test_a_manifest_that_allows_all_needs_no_old_rules() -> None:
    live = live_policy(policyTypes=["Ingress"], ingress=[WEB])
    assert carry_over(policy(policyTypes=["Ingress"], ingress=[{}]), live, OURS).digest == ""


def test_a_policy_for_other_pods_is_named_and_carries_nothing() -> None:
    desired = policy(policyTypes=["Ingress"])
    desired["spec"]["podSelector"] = {}
    live = live_policy(policyTypes=["Ingress"], ingress=[WEB])
    assert carry_over(desired, live, OURS).obj == desired
    assert len(cannot_carry(desired, live, OURS)) == 1
