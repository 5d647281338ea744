"""What `manifests/` holds, on a real API server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from hook.generations.installer_set import InstallerSet
from tests.cluster.cluster import Cluster, ClusterError

pytestmark = pytest.mark.cluster

MANIFESTS = Path(__file__).parents[2] / "manifests"
BASES = ["rbac/namespaced", "rbac/cluster-wide", "job", "removal", "argocd", "argocd/removal", "argocd/pair", "flux"]
SETS = "/apis/installersets.io/v1alpha1/namespaces/{}/installersets"


@pytest.fixture
def sets(shared_cluster: Cluster, namespace: str) -> str:
    """Path of the sets in a new namespace, with the definition in place."""
    shared_cluster.load([yaml.safe_load((MANIFESTS / "crds" / "installersets.yaml").read_text("utf-8"))])
    return SETS.format(namespace)


def a_set(namespace: str, name: str = "shop-static-000000000000") -> dict[str, Any]:
    return InstallerSet(
        namespace=namespace,
        component="shop",
        version="v1.2.0",
        digest="0" * 64,
        part="static",
        target_namespace=namespace,
        resources=(),
        name=name,
    ).to_object()


def built(cluster: Cluster, base: str) -> list[dict[str, Any]]:
    text = cluster.kubectl("kustomize", str(MANIFESTS / base)).stdout
    return [item for item in yaml.safe_load_all(text) if item]


def ready_of(item: dict[str, Any]) -> str:
    (ready,) = (each for each in item["status"]["conditions"] if each["type"] == "Ready")
    return str(ready["status"])


def test_a_new_set_has_an_unknown_ready_condition_even_if_created_as_ready(
    shared_cluster: Cluster, namespace: str, sets: str
) -> None:
    lie = {
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "Lie", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        ]
    }
    made = shared_cluster.api.request("POST", sets, {**a_set(namespace), "status": lie})
    assert made.status == 201, made.body
    assert ready_of(made.body) == "Unknown"


def test_an_emptied_status_is_not_ready(shared_cluster: Cluster, namespace: str, sets: str) -> None:
    made = shared_cluster.api.request("POST", sets, a_set(namespace)).body
    path = f"{sets}/{made['metadata']['name']}/status"
    emptied = shared_cluster.api.request("PUT", path, {**made, "status": {}})
    assert emptied.status == 200, emptied.body
    assert ready_of(emptied.body) == "Unknown"


def test_a_set_is_accepted_with_strict_validation(shared_cluster: Cluster, namespace: str, sets: str) -> None:
    made = shared_cluster.api.request("POST", sets, a_set(namespace), query={"fieldValidation": "Strict"})
    assert made.status == 201, made.body


@pytest.mark.parametrize(("field", "value"), [("component", "other"), ("digest", "1" * 64), ("part", "deployment")])
def test_what_a_set_stands_for_cannot_be_changed(
    shared_cluster: Cluster, namespace: str, sets: str, field: str, value: str
) -> None:
    made = shared_cluster.api.request("POST", sets, a_set(namespace)).body
    made["spec"][field] = value
    assert shared_cluster.api.request("PUT", f"{sets}/{made['metadata']['name']}", made).status == 422


def test_people_see_generation_readiness_and_phase(shared_cluster: Cluster, namespace: str, sets: str) -> None:
    shared_cluster.api.request("POST", sets, a_set(namespace))
    header, line = shared_cluster.kubectl("get", "iset", "-n", namespace).stdout.splitlines()
    assert header.split()[1:] == ["COMPONENT", "PART", "GENERATION", "VERSION", "READY", "PHASE", "AGE"]
    assert line.split()[1:-1] == ["shop", "static", "0" * 12, "v1.2.0", "Unknown", "active"]


@pytest.mark.parametrize("base", BASES)
def test_each_base_builds_and_is_accepted(shared_cluster: Cluster, namespace: str, base: str) -> None:
    for item in built(shared_cluster, base):
        place = [] if item["kind"].startswith("Cluster") else ["-n", namespace]
        command = ("create", "--dry-run=server", "--validate=strict", *place, "-f", "-")
        shared_cluster.kubectl(*command, stdin=json.dumps(item))


@pytest.mark.parametrize("base", ["job", "removal", "argocd", "flux"])
def test_its_pod_keeps_the_restricted_profile(shared_cluster: Cluster, namespace: str, base: str) -> None:
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    path = f"/api/v1/namespaces/{namespace}"
    shared_cluster.api.request("PATCH", path, label, content_type="application/merge-patch+json")
    shared_cluster.kubectl("create", "serviceaccount", "handoff", "-n", namespace)
    (job,) = (item for item in built(shared_cluster, base) if item["kind"] == "Job")
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "handoff"}, "spec": job["spec"]["template"]["spec"]}
    shared_cluster.kubectl("create", "--dry-run=server", "-n", namespace, "-f", "-", stdin=json.dumps(pod))
    del pod["spec"]["securityContext"]
    with pytest.raises(ClusterError, match="violates PodSecurity"):
        shared_cluster.kubectl("create", "--dry-run=server", "-n", namespace, "-f", "-", stdin=json.dumps(pod))


def test_the_job_and_its_base_name_the_same_input(shared_cluster: Cluster) -> None:
    """The suffix by content is what makes a changed input a changed Job."""
    items = built(shared_cluster, "job")
    (job,) = (item for item in items if item["kind"] == "Job")
    (input_map,) = (item for item in items if item["kind"] == "ConfigMap")
    name = input_map["metadata"]["name"]
    assert name.startswith("handoff-input-")
    assert job["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"] == name


def test_argo_cd_gets_rights_then_input_then_the_hook(shared_cluster: Cluster) -> None:
    waves = {
        item["kind"]: item["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]
        for item in built(shared_cluster, "argocd")
    }
    assert waves == {"ServiceAccount": "-2", "Role": "-2", "RoleBinding": "-2", "ConfigMap": "-1", "Job": "0"}


def test_the_halves_are_hooks_of_their_phases_and_have_the_input_before_the_first(shared_cluster: Cluster) -> None:
    items = built(shared_cluster, "argocd/pair")
    found = {item["metadata"]["name"]: item["metadata"]["annotations"]["argocd.argoproj.io/hook"] for item in items}
    assert found == {"handoff-input": "PreSync", "handoff-pre-sync": "PreSync", "handoff-post-sync": "PostSync"}
    (input_map,) = (item for item in items if item["kind"] == "ConfigMap")
    assert int(input_map["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]) < 0
    for item in items:
        if item["kind"] == "Job":
            pod = item["spec"]["template"]["spec"]
            assert item["metadata"]["name"] == f"handoff-{pod['containers'][0]['args'][0]}"
            assert pod["volumes"][0]["configMap"]["name"] == "handoff-input"


def test_the_health_script_lands_in_the_settings_of_argo_cd(shared_cluster: Cluster, tmp_path: Path) -> None:
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": {"kept": "yes"}}
    (tmp_path / "settings.yaml").write_text(json.dumps(settings))
    shutil.copytree(MANIFESTS / "argocd" / "health", tmp_path / "health")
    (tmp_path / "kustomization.yaml").write_text("resources: [settings.yaml]\ncomponents: [health]\n")
    (merged,) = yaml.safe_load_all(shared_cluster.kubectl("kustomize", str(tmp_path)).stdout)
    assert merged["data"]["kept"] == "yes"
    assert "Degraded" in merged["data"]["resource.customizations.health.installersets.io_InstallerSet"]


def test_the_recipe_of_the_readme_builds_on_every_form(shared_cluster: Cluster, tmp_path: Path) -> None:
    recipe = (MANIFESTS / "README.md").read_text("utf-8").split("```yaml\n")[1].split("```")[0]
    shutil.copytree(MANIFESTS, tmp_path / "manifests")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "release.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    for form in ("argocd", "argocd/pair", "flux", "job"):
        (mine / "kustomization.yaml").write_text(recipe.replace("manifests/argocd", f"manifests/{form}"))
        items = list(yaml.safe_load_all(shared_cluster.kubectl("kustomize", str(mine)).stdout))
        pods = [item["spec"]["template"]["spec"] for item in items if item["kind"] == "Job"]
        (input_map,) = (item for item in items if item["kind"] == "ConfigMap")
        assert "release.yaml" in input_map["data"]
        assert len(pods) == (2 if form == "argocd/pair" else 1)
        for pod in pods:
            assert pod["volumes"][0]["configMap"]["name"] == input_map["metadata"]["name"]
            assert {"name": "HANDOFF_COMPONENT", "value": "my-component"} in pod["containers"][0]["env"]
