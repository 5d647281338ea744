"""Roles that grant just what is asked for."""

from __future__ import annotations

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hook.manifests.identity import Identity
from hook.report.roles import as_yaml
from hook.rights.held import HeldRule
from hook.rights.right import Need, Needed, Right
from hook.rights.roles import Role, roles_of

RIGHTS = st.builds(
    Right,
    group=st.sampled_from(["", "apps"]),
    plural=st.sampled_from(["configmaps", "deployments"]),
    verb=st.sampled_from(["get", "list", "patch"]),
    namespace=st.sampled_from(["", "a", "b"]),
    name=st.sampled_from(["", "x", "y"]),
    subresource=st.sampled_from(["", "status"]),
)
NEEDED = st.lists(st.builds(Needed, right=RIGHTS, need=st.just(Need.RUN), why=st.sampled_from(["One.", "Two."])))


def grants(roles: tuple[Role, ...], right: Right) -> bool:
    """The authorizer's rule, as Kubernetes documents it."""
    return any(
        role.namespace in ("", right.namespace)
        and right.group in rule.rule["apiGroups"]
        and right.resource in rule.rule["resources"]
        and right.verb in rule.rule["verbs"]
        and (not rule.rule.get("resourceNames") or right.name in rule.rule["resourceNames"])
        for role in roles
        for rule in role.rules
    )


def every_right() -> list[Right]:
    return [
        Right(group, plural, verb, namespace, name, subresource)
        for group in ("", "apps")
        for plural in ("configmaps", "deployments")
        for verb in ("get", "list", "patch")
        for namespace in ("", "a", "b")
        for name in ("", "x", "y")
        for subresource in ("", "status")
    ]


def covered(needed: list[Needed], right: Right) -> bool:
    return any(
        one.right.namespace in ("", right.namespace)
        and one.right.name in ("", right.name)
        and (one.right.group, one.right.resource, one.right.verb) == (right.group, right.resource, right.verb)
        for one in needed
    )


@given(NEEDED)
@settings(deadline=None)
def test_they_grant_what_is_needed_and_nothing_else(needed: list[Needed]) -> None:
    roles = roles_of("handoff", needed, (), cluster_wide=False)
    assert [r for r in every_right() if grants(roles, r)] == [r for r in every_right() if covered(needed, r)]


@given(NEEDED)
@settings(deadline=None)
def test_cluster_wide_there_is_one_role_at_most(needed: list[Needed]) -> None:
    roles = roles_of("handoff", needed, (), cluster_wide=True)
    assert len(roles) == bool(needed)
    assert all(grants(roles, one.right) for one in needed)


@given(NEEDED)
@settings(deadline=None)
def test_the_yaml_says_the_same(needed: list[Needed]) -> None:
    roles = roles_of("handoff", needed, (), cluster_wide=False)
    text = as_yaml("shop", [], [], roles, ("sets", "handoff"))
    read = [item for item in yaml.safe_load_all(text) if item]
    assert read[::2] == [role.as_object() for role in roles]
    assert read[1::2] == [role.binding("sets", "handoff") for role in roles]


def test_a_role_is_bound_to_the_account_in_its_own_namespace() -> None:
    needed = [Needed(Right("", "pods", "list", "a"), Need.RUN, "Pods.")]
    (role,) = roles_of("handoff-shop", needed, (), cluster_wide=False)
    binding = role.binding("sets", "handoff")
    assert (binding["kind"], binding["metadata"]) == ("RoleBinding", {"name": "handoff-shop", "namespace": "a"})
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "handoff", "namespace": "sets"}]


def test_a_rule_that_several_roles_have_is_held_once_and_names_them() -> None:
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}
    held = [HeldRule("a", rule, Identity("rbac.authorization.k8s.io", "Role", "a", name)) for name in ("x", "y")]
    (role,) = roles_of("handoff", (), held, cluster_wide=False)
    assert [one.rule for one in role.rules] == [rule]
    assert "Role a/x, Role a/y" in role.rules[0].why[0]


def test_each_purpose_is_a_comment_above_its_rules() -> None:
    needed = [
        Needed(Right("", "pods", "list", "a"), Need.RUN, "Pods."),
        Needed(Right("apps", "deployments", "watch", "a"), Need.RUN, "Readiness."),
    ]
    text = as_yaml("shop", ["a"], [], roles_of("handoff", needed, (), cluster_wide=False), ("a", "handoff"))
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("# Pods.") + 1] == "- apiGroups: ['']"
    assert lines[lines.index("# Readiness.") + 1] == "- apiGroups: [apps]"
    assert "create these" in text
