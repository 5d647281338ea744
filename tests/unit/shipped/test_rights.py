"""The shipped roles: least rights where it matters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

RBAC = Path(__file__).parents[3] / "manifests" / "rbac"
ROLES = [RBAC / "namespaced" / "role.yaml", RBAC / "cluster-wide" / "cluster-role.yaml"]


def rules_of(file: Path) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = yaml.safe_load(file.read_text("utf-8"))["rules"]
    return rules


def granted(rules: list[dict[str, Any]], group: str, resource: str) -> set[str]:
    found: set[str] = set()
    for rule in rules:
        if group in rule["apiGroups"] and resource in rule["resources"]:
            found.update(rule["verbs"])
    return found


def each(rules: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for rule in rules:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                yield group, resource


@pytest.mark.parametrize("file", ROLES, ids=lambda file: file.stem)
def test_secrets_are_never_listed_or_watched(file: Path) -> None:
    assert granted(rules_of(file), "", "secrets") == {"get", "create", "patch", "delete"}


@pytest.mark.parametrize("file", ROLES, ids=lambda file: file.stem)
def test_nothing_is_granted_by_a_wildcard(file: Path) -> None:
    assert "*" not in str(rules_of(file))


@pytest.mark.parametrize("file", ROLES, ids=lambda file: file.stem)
def test_what_may_be_patched_may_be_created(file: Path) -> None:
    """An apply that creates needs both; the lack of one shows at the first install only."""
    rules = rules_of(file)
    for group, resource in each(rules):
        verbs = granted(rules, group, resource)
        assert "patch" not in verbs or "create" in verbs, resource


def test_the_namespaced_role_lets_nobody_raise_rights() -> None:
    assert not {"escalate", "bind", "impersonate"} & {verb for rule in rules_of(ROLES[0]) for verb in rule["verbs"]}


def test_the_namespaced_role_has_no_cluster_scoped_kinds() -> None:
    cluster_scoped = {"namespaces", "clusterroles", "customresourcedefinitions", "persistentvolumes"}
    assert not cluster_scoped & {resource for _, resource in each(rules_of(ROLES[0]))}


@pytest.mark.parametrize("verb", ["get", "create", "update", "delete"])
def test_the_lease_can_be_taken_renewed_and_left(verb: str) -> None:
    assert verb in granted(rules_of(ROLES[0]), "coordination.k8s.io", "leases")
