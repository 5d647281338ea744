"""What must be held to write Roles and bindings."""

from __future__ import annotations

from hook.rights.right import Right
from tests.unit.rights.needed import needs, on, rights

RBAC = "rbac.authorization.k8s.io"
ROLE = """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: Role
    metadata: {name: front}
    rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
"""
WIDER = ROLE.replace("pods", "pods, nodes")
OTHER = ROLE.replace("front", "other")
CLUSTER_ROLE = ROLE.replace("kind: Role", "kind: ClusterRole")
AGGREGATED = """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: {name: all}
    aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}
    rules: []
"""


def binding(kind: str, name: str, of: str = "RoleBinding") -> str:
    return f"""
    apiVersion: rbac.authorization.k8s.io/v1
    kind: {of}
    metadata: {{name: front}}
    roleRef: {{apiGroup: {RBAC}, kind: {kind}, name: {name}}}
    subjects: [{{kind: ServiceAccount, name: front, namespace: shop}}]
"""


def test_the_rules_of_a_role_are_held_in_its_namespace() -> None:
    (held,) = needs(ROLE).held()
    assert (held.namespace, held.rule) == ("shop", {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]})


def test_the_rules_of_a_cluster_role_are_held_everywhere() -> None:
    (held,) = needs(CLUSTER_ROLE).held()
    assert held.namespace == ""


def test_rules_that_a_role_had_before_are_held_too_since_they_are_carried_along() -> None:
    assert [held.rule["resources"] for held in needs(ROLE, WIDER).held()] == [["pods"], ["pods", "nodes"]]


def test_rules_of_a_role_that_is_only_pruned_are_not_held() -> None:
    assert len(needs(ROLE, OTHER).held()) == 1


def test_a_binding_to_a_role_of_the_input_needs_nothing_else() -> None:
    found = rights(f"{ROLE}\n---\n{binding('Role', 'front')}")
    assert not on(found, "roles") & {"bind", "escalate"}


def test_a_binding_to_a_role_whose_rules_are_not_known_needs_bind_by_name() -> None:
    assert Right(RBAC, "clusterroles", "bind", "shop", "view") in rights(binding("ClusterRole", "view"))
    found = rights(binding("ClusterRole", "system:auth-delegator", "ClusterRoleBinding"))
    assert Right(RBAC, "clusterroles", "bind", "", "system:auth-delegator") in found


def test_an_aggregated_role_needs_escalate_and_bind_by_name() -> None:
    found = rights(f"{AGGREGATED}\n---\n{binding('ClusterRole', 'all')}")
    assert Right(RBAC, "clusterroles", "escalate", "", "all") in found
    assert Right(RBAC, "clusterroles", "bind", "shop", "all") in found


def test_escalate_stands_for_all_rules() -> None:
    wanted = needs(f"{ROLE}\n---\n{binding('Role', 'front')}", escalate=True)
    found = {one.right for one in wanted.rights()}
    assert wanted.held() == ()
    assert Right(RBAC, "roles", "escalate", "shop", "front") in found
    assert Right(RBAC, "roles", "bind", "shop", "front") in found
