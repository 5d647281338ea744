"""`handoff rbac`, offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from hook.cli import main

INPUT = """
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: front}
"""


@pytest.fixture
def release(tmp_path: Path) -> str:
    (tmp_path / "release.yaml").write_text(INPUT)
    return str(tmp_path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["rbac", "--component", "shop", "--namespace", "shop", "--output", "json", *arguments]) == 0
    items: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["items"]
    return items


def kinds(items: list[dict[str, Any]]) -> list[str]:
    return [f"{item['kind']} {item['metadata'].get('namespace', '')}".strip() for item in items]


def test_it_prints_roles_and_bindings_for_the_account_of_the_job(
    release: str, capsys: pytest.CaptureFixture[str]
) -> None:
    items = printed(capsys, "--source", release)
    assert kinds(items) == ["ClusterRole", "Role shop", "ClusterRoleBinding", "RoleBinding shop"]
    assert {item["metadata"]["name"] for item in items} == {"handoff-shop"}
    subjects = [item["subjects"] for item in items if "subjects" in item]
    assert subjects == [[{"kind": "ServiceAccount", "name": "handoff", "namespace": "shop"}]] * 2


def test_account_and_names_can_be_chosen(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ("--service-account", "delivery/robot", "--with-service-account", "--name", "mine")
    items = printed(capsys, "--source", release, *chosen)
    assert items[0]["kind"] == "ServiceAccount"
    assert items[0]["metadata"] == {"name": "robot", "namespace": "delivery"}
    assert {item["metadata"]["name"] for item in items[1:]} == {"mine"}
    # A run looks at its Job, which is where its pod is.
    assert "Role delivery" in kinds(items)


def test_cluster_wide_there_is_nothing_in_a_namespace(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert kinds(printed(capsys, "--source", release, "--cluster-wide")) == ["ClusterRole", "ClusterRoleBinding"]


def test_an_input_that_is_read_from_the_api_needs_to_be_read(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    reads = ("--reads", "configmap://delivery/input", "--reads", "flux://gitrepository/flux-system/app/deploy")
    items = {f"{i['kind']} {i['metadata'].get('namespace')}": i for i in printed(capsys, "--source", release, *reads)}
    rule = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["input"], "verbs": ["get"]}
    assert items["Role delivery"]["rules"] == [rule]
    (rule,) = items["Role flux-system"]["rules"]
    assert (rule["resources"], rule["resourceNames"]) == (["gitrepositories"], ["app"])


def test_the_yaml_says_what_the_json_says_and_which_namespaces_must_be_there(
    release: str, capsys: pytest.CaptureFixture[str]
) -> None:
    items = printed(capsys, "--source", release)
    assert main(["rbac", "--component", "shop", "--namespace", "shop", "--source", release]) == 0
    text = capsys.readouterr().out
    read = [item for item in yaml.safe_load_all(text) if item]
    assert sorted(map(str, read)) == sorted(map(str, items))
    assert "create these" in text
    assert text.splitlines()[2].endswith("first: shop.")


def test_the_namespace_of_the_sets_has_to_be_known(release: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rbac", "--component", "shop", "--source", release]) == 2
    assert "--namespace" in capsys.readouterr().err
