"""Rules of Roles and subjects of bindings."""

from __future__ import annotations

from typing import Any

import pytest

from hook.generations.carry_over import cannot_carry, carry_over
from hook.manifests.identity import Object
from tests.unit.generations.live_objects import OURS, applied, role, rule


def rules(desired: Object, live: Object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = carry_over(desired, live, OURS).obj["rules"]
    return found


def test_live_rules_follow_those_of_the_manifest_whoever_wrote_them() -> None:
    live = applied(role(rule("get", "pods")), "somebody")
    assert rules(role(rule("get", "secrets")), live) == [rule("get", "secrets"), rule("get", "pods")]


@pytest.mark.parametrize(
    "wide",
    [
        rule("list,get", "pods"),
        rule("get,list,watch", "pods,services"),
        rule("*", "pods"),
        rule("get,list", "*"),
        rule("*", "*", "*"),
    ],
)
def test_a_rule_that_the_manifest_grants_anyway_is_not_doubled(wide: dict[str, Any]) -> None:
    assert carry_over(role(wide), applied(role(rule("get,list", "pods"))), OURS).digest == ""


@pytest.mark.parametrize(
    "narrow",
    [
        rule("get", "pods"),
        rule("get,list", "pods", "apps"),
        rule("get,list", "services"),
        rule("get,list", "pods", resourceNames=["one"]),
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ],
)
def test_a_rule_that_grants_less_does_not_stand_for_the_old_one(narrow: dict[str, Any]) -> None:
    assert rules(role(narrow), applied(role(rule("get,list", "pods")))) == [narrow, rule("get,list", "pods")]


def test_names_are_granted_by_a_rule_without_names_or_with_more_of_them() -> None:
    live = applied(role(rule("get", "pods", resourceNames=["a"])))
    assert carry_over(role(rule("get", "pods")), live, OURS).digest == ""
    assert carry_over(role(rule("get", "pods", resourceNames=["a", "b"])), live, OURS).digest == ""
    assert carry_over(role(rule("get", "pods", resourceNames=["b"])), live, OURS).digest != ""


def test_urls_are_granted_by_the_same_url() -> None:
    urls = {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}
    assert carry_over(role(urls), applied(role(urls)), OURS).digest == ""
    carried = carry_over(role(rule("*", "*", "*")), applied(role(urls)), OURS)
    assert carried.what == ("rule get /metrics",)


def test_rules_are_said_in_words() -> None:
    live = applied(role(rule("get,list", "deployments", "apps", resourceNames=["web"])))
    assert carry_over(role(), live, OURS).what == ("rule get,list deployments in apps [web]",)


def test_a_role_that_becomes_aggregated_carries_nothing_and_is_named() -> None:
    desired = role(aggregationRule={"clusterRoleSelectors": []})
    del desired["rules"]
    live = applied(role(rule("get", "pods")))
    assert carry_over(desired, live, OURS).obj == desired
    assert len(cannot_carry(desired, live, OURS)) == 1


def test_a_role_that_was_aggregated_keeps_what_was_filled_in() -> None:
    live = applied(role(rule("get", "pods"), aggregationRule={"clusterRoleSelectors": []}))
    assert rules(role(rule("get", "nodes")), live) == [rule("get", "nodes"), rule("get", "pods")]


def binding(*subjects: dict[str, str]) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": "shop", "namespace": "shop"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "shop"},
        "subjects": list(subjects),
    }


def test_live_subjects_follow_those_of_the_manifest() -> None:
    new, old = ({"kind": "ServiceAccount", "name": name, "namespace": "shop"} for name in ("new", "old"))
    carried = carry_over(binding(new), applied(binding(old)), OURS)
    assert carried.obj["subjects"] == [new, old]
    assert carried.what == ("subject ServiceAccount shop/old",)


def test_a_subject_with_the_servers_default_group_is_the_same() -> None:
    short = {"kind": "Group", "name": "admins"}
    assert (
        carry_over(binding(short), applied(binding({**short, "apiGroup": "rbac.authorization.k8s.io"})), OURS).digest
        == ""
    )
