"""The Helm chart: it says what the Kustomize bases say, and takes the values that people know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.charts import CHART, LEAST, lint, refused, rendered

MANIFESTS = Path(__file__).parents[3] / "manifests"


def one(items: list[dict[str, Any]], kind: str, suffix: str = "") -> dict[str, Any]:
    (found,) = (item for item in items if item["kind"] == kind and item["metadata"]["name"].endswith(suffix))
    return found


def job_of(**values: Any) -> dict[str, Any]:
    return one(rendered({**LEAST, **values}), "Job")


def pod_of(**values: Any) -> dict[str, Any]:
    return dict(job_of(**values)["spec"]["template"]["spec"])


def load(path: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((MANIFESTS / path).read_text("utf-8"))
    return loaded


def test_helm_finds_no_fault() -> None:
    assert "0 chart(s) failed" in lint()


def test_it_brings_the_definition_that_is_shipped() -> None:
    assert (CHART / "crds" / "installersets.yaml").read_text() == (MANIFESTS / "crds/installersets.yaml").read_text()


def test_its_job_is_the_job_of_the_base() -> None:
    base, job = load("job/job.yaml"), job_of(image={"tag": "1"})
    wanted, found = base["spec"], job["spec"]
    pod = wanted["template"]["spec"]
    pod["serviceAccountName"] = "shop-handoff"
    pod["containers"][0]["image"] = "handoff:1"
    pod["volumes"][0]["configMap"]["name"] = "release"
    pod["containers"][0]["env"][0]["value"] = "shop"
    wanted["template"]["metadata"]["labels"]["app.kubernetes.io/instance"] = "shop"
    assert found == wanted


def test_its_rights_are_those_of_the_base() -> None:
    assert one(rendered(LEAST), "Role")["rules"] == load("rbac/namespaced/role.yaml")["rules"]


def test_rights_can_be_replaced_by_exact_ones() -> None:
    rule = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get"]}
    items = rendered({**LEAST, "rbac": {"rules": [rule], "clusterRules": [rule]}})
    assert one(items, "Role")["rules"] == one(items, "ClusterRole")["rules"] == [rule]
    binding = one(items, "ClusterRoleBinding")
    assert binding["roleRef"]["name"] == one(items, "ClusterRole")["metadata"]["name"] == "shop-shop-handoff"
    assert binding["subjects"][0]["namespace"] == "shop"


def test_rights_and_account_can_come_from_elsewhere() -> None:
    items = rendered({**LEAST, "rbac": {"create": False}, "serviceAccount": {"create": False, "name": "mine"}})
    assert [item["kind"] for item in items] == ["Job"]
    assert items[0]["spec"]["template"]["spec"]["serviceAccountName"] == "mine"


@pytest.mark.parametrize(
    ("hook", "annotations"),
    [
        (
            "helm",
            {"helm.sh/hook": "post-install,post-upgrade", "helm.sh/hook-delete-policy": "before-hook-creation"},
        ),
        (
            "argocd",
            {
                "argocd.argoproj.io/hook": "Sync",
                "argocd.argoproj.io/hook-delete-policy": "BeforeHookCreation",
                "argocd.argoproj.io/sync-wave": "0",
            },
        ),
        ("flux", {"kustomize.toolkit.fluxcd.io/force": "enabled"}),
        ("none", None),
    ],
)
def test_the_job_is_started_by_helm_argo_cd_or_flux(hook: str, annotations: dict[str, str] | None) -> None:
    assert job_of(hook=hook)["metadata"].get("annotations") == annotations


@pytest.mark.parametrize(("command", "phase"), [("pre-sync", "PreSync"), ("post-sync", "PostSync")])
def test_a_half_of_the_handoff_is_a_hook_of_its_phase(command: str, phase: str) -> None:
    job = job_of(hook="argocd", command=command)
    assert job["metadata"]["annotations"]["argocd.argoproj.io/hook"] == phase
    assert job["spec"]["template"]["spec"]["containers"][0]["args"][0] == command


@pytest.mark.parametrize("hook", ["helm", "argocd"])
def test_a_removal_reads_no_input(hook: str) -> None:
    job = one(rendered({**LEAST, "hook": hook, "removal": {"enabled": True}}), "Job", "-removal")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["remove"]
    assert "volumeMounts" not in container
    annotations = job["metadata"]["annotations"]
    assert annotations.get("helm.sh/hook") == ("pre-delete" if hook == "helm" else None)
    assert annotations.get("argocd.argoproj.io/hook") == ("PreDelete" if hook == "argocd" else None)


def test_an_input_can_be_read_from_the_api() -> None:
    (container,) = pod_of(input={"sources": ["configmap://shop/a", "configmap://shop/b"]})["containers"]
    assert container["args"] == ["run", "--source=configmap://shop/a", "--source=configmap://shop/b"]
    assert "volumeMounts" not in container


def test_the_pod_takes_what_pods_take() -> None:
    values: dict[str, Any] = {
        "nodeSelector": {"pool": "infra"},
        "tolerations": [{"operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {}}
        ],
        "priorityClassName": "high",
        "runtimeClassName": "gvisor",
        "terminationGracePeriodSeconds": 45,
        "imagePullSecrets": [{"name": "registry"}],
    }
    pod = pod_of(**values)
    assert {key: pod[key] for key in values} == values


def test_the_container_takes_what_containers_take() -> None:
    mount = {"name": "more", "mountPath": "/more"}
    pod = pod_of(
        image={"repository": "registry.example.org/handoff", "tag": "9", "digest": "sha256:00", "pullPolicy": "Always"},
        resources={"limits": {"memory": "1Gi"}},
        extraArgs=["--prune-kind=PersistentVolumeClaim"],
        extraEnv=[{"name": "HANDOFF_MAX_PRUNE", "value": "9"}],
        extraVolumes=[{"name": "more", "emptyDir": {}}],
        extraVolumeMounts=[mount],
    )
    (container,) = pod["containers"]
    assert container["image"] == "registry.example.org/handoff@sha256:00"
    assert container["imagePullPolicy"] == "Always"
    assert container["resources"]["limits"]["memory"] == "1Gi"
    assert container["args"][-1] == "--prune-kind=PersistentVolumeClaim"
    assert {"name": "HANDOFF_MAX_PRUNE", "value": "9"} in container["env"]
    assert container["volumeMounts"][-1] == mount
    assert [volume["name"] for volume in pod["volumes"]] == ["input", "more"]


def test_labels_and_annotations_go_where_they_belong() -> None:
    job = job_of(
        jobAnnotations={"a": "job"}, jobLabels={"l": "job"}, podAnnotations={"a": "pod"}, podLabels={"l": "pod"}
    )
    assert job["metadata"]["annotations"]["a"] == job["metadata"]["labels"]["l"] == "job"
    pod = job["spec"]["template"]["metadata"]
    assert pod["annotations"]["a"] == pod["labels"]["l"] == "pod"


def test_the_user_can_be_left_to_the_platform() -> None:
    context = pod_of(podSecurityContext={"runAsUser": None, "runAsGroup": None})["securityContext"]
    assert context == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"input": LEAST["input"]}, "component"),
        ({"component": "shop"}, "input"),
        ({**LEAST, "command": "remove"}, "command"),
        ({**LEAST, "hook": "weekly"}, "hook"),
    ],
)
def test_values_that_cannot_work_are_refused(values: dict[str, Any], why: str) -> None:
    assert f"{why}: " in refused(values)
