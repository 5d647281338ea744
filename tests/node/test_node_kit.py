"""The test cluster with a real node: pods run, reach the API server as themselves, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.cluster import Cluster, start_cluster
from tests.cluster.directories import sweep
from tests.cluster.images.static_images import server_image
from tests.cluster.node import cgroups
from tests.cluster.processes import wait_until

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def image(node_cluster: Cluster) -> str:
    """The test workload's image, on the node."""
    name, archive = server_image("v1")
    node_cluster.import_image(archive)
    return name


@pytest.fixture
def namespace(node_cluster: Cluster, component: str) -> str:
    """A namespace of its own on the real node's cluster."""
    node_cluster.kubectl("create", "namespace", component)
    return component


def pod(image: str, *arguments: str, **spec: Any) -> dict[str, Any]:
    """A pod template of one container."""
    container: dict[str, Any] = {"name": "main", "image": image}
    if arguments:
        container["args"] = list(arguments)
    else:
        container["readinessProbe"] = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1}
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container], **spec}}


def web(image: str) -> list[dict[str, Any]]:
    """A Deployment of two pods and its Service."""
    deployment = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": pod(image)}
    service = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": deployment},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": service},
    ]


def job(name: str, template: dict[str, Any]) -> dict[str, Any]:
    """A Job that is not tried again."""
    template["spec"]["restartPolicy"] = "Never"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"backoffLimit": 0, "template": template},
    }


def create(cluster: Cluster, namespace: str, *manifests: dict[str, Any]) -> None:
    listing = {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=json.dumps(listing))


def succeed(cluster: Cluster, namespace: str, name: str) -> str:
    """Waits until the Job is complete; what its pod wrote."""
    cluster.kubectl("wait", "-n", namespace, "--for=condition=Complete", "--timeout=60s", f"job/{name}")
    return cluster.kubectl("logs", "-n", namespace, f"job/{name}").stdout


def test_a_deployment_gets_real_pods_that_answer_through_their_service(
    node_cluster: Cluster, namespace: str, image: str
) -> None:
    create(node_cluster, namespace, *web(image))
    node_cluster.kubectl("rollout", "status", "-n", namespace, "deployment/web", "--timeout=60s")
    address = node_cluster.kubectl("get", "-n", namespace, "service/web", "-o=jsonpath={.spec.clusterIP}").stdout
    create(node_cluster, namespace, job("client", pod(image, "get", f"http://{address}/")))
    assert succeed(node_cluster, namespace, "client") == "v1\n"


def test_a_command_runs_in_a_pod(node_cluster: Cluster, namespace: str, image: str) -> None:
    create(node_cluster, namespace, *web(image))
    node_cluster.kubectl("rollout", "status", "-n", namespace, "deployment/web", "--timeout=60s")
    inside = ("/server", "get", "http://127.0.0.1:8080/")
    assert node_cluster.kubectl("exec", "-n", namespace, "deployment/web", "--", *inside).stdout == "v1\n"


def test_a_jobs_pod_talks_to_the_api_server_as_its_own_service_account(
    node_cluster: Cluster, namespace: str, image: str
) -> None:
    node_cluster.kubectl("create", "serviceaccount", "-n", namespace, "reader")
    node_cluster.kubectl(
        "create", "rolebinding", "-n", namespace, "reader", "--clusterrole=view", f"--serviceaccount={namespace}:reader"
    )
    api = node_cluster.kubectl("get", "service/kubernetes", "-o=jsonpath={.spec.clusterIP}").stdout
    url = f"https://{api}/api/v1/namespaces/{namespace}/configmaps/kube-root-ca.crt"
    create(node_cluster, namespace, job("reader", pod(image, "get", url, serviceAccountName="reader")))
    assert json.loads(succeed(node_cluster, namespace, "reader"))["metadata"]["namespace"] == namespace


def test_a_jobs_pod_without_rights_is_refused(node_cluster: Cluster, namespace: str, image: str) -> None:
    api = node_cluster.kubectl("get", "service/kubernetes", "-o=jsonpath={.spec.clusterIP}").stdout
    url = f"https://{api}/api/v1/namespaces/{namespace}/configmaps"
    create(node_cluster, namespace, job("stranger", pod(image, "get", url)))
    node_cluster.kubectl("wait", "-n", namespace, "--for=condition=Failed", "--timeout=60s", "job/stranger")
    assert "403 Forbidden" in node_cluster.kubectl("logs", "-n", namespace, "job/stranger").stdout


def test_two_nodes_run_side_by_side_and_a_killed_one_leaves_nothing(node_cluster: Cluster) -> None:
    kernel = Path("/proc/sys/kernel/panic"), Path("/proc/sys/vm/overcommit_memory")
    settings = [setting.read_text() for setting in kernel]
    with start_cluster(node="real") as other:
        assert other.host_address != node_cluster.host_address
        assert other.directory is not None
        directory = other.directory
        os.kill(other.supervisor, signal.SIGKILL)
        wait_until(lambda: not mentioned(directory), "the killed cluster's processes are gone", timeout=20)
        assert directory in sweep()
    groups = list(Path("/sys/fs/cgroup").glob(f"**{cgroups.pod_root(directory)}"))
    assert (groups, [setting.read_text() for setting in kernel]) == ([], settings)
    ready = node_cluster.kubectl("wait", "--for=condition=Ready", "--timeout=1s", "nodes", "--all")
    assert "condition met" in ready.stdout


def mentioned(directory: Path) -> list[str]:
    """The command lines of processes that belong to the cluster of that directory."""
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listing.splitlines() if directory.name in line]
