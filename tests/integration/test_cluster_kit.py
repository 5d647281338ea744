"""The test cluster itself: it is ready when it says so, plays pods as told, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster, open_cluster
from tests.cluster.directories import held, new_directory, sweep
from tests.cluster.locations import REPOSITORY
from tests.cluster.processes import wait_until

pytestmark = pytest.mark.cluster


def deployment(name: str, told: Mapping[str, str] | None = None, *, replicas: int = 1) -> dict[str, Any]:
    """A Deployment whose pods carry the `pods.test/` annotations of `told`."""
    annotations = {f"pods.test/{key}": value for key, value in (told or {}).items()}
    pod = {
        "metadata": {"labels": {"app": name}, "annotations": annotations},
        "spec": {"containers": [{"name": "main", "image": "example.test/image"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": pod},
    }


def job(name: str, told: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A Job of one pod that is not tried again."""
    pod = deployment(name, told)["spec"]["template"]
    pod["spec"]["restartPolicy"] = "Never"
    spec = {"backoffLimit": 0, "template": pod}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def create(cluster: Cluster, namespace: str, manifest: dict[str, Any]) -> None:
    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=json.dumps(manifest))


def pods(cluster: Cluster, namespace: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = cluster.api.request("GET", f"/api/v1/namespaces/{namespace}/pods").body["items"]
    return items


def conditions(item: dict[str, Any]) -> dict[str, str]:
    return {c["type"]: c["status"] for c in item.get("status", {}).get("conditions") or []}


def wait_for_deployment(cluster: Cluster, namespace: str, name: str, available: int) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/{name}"

    def reached() -> bool:
        status = cluster.api.request("GET", path).body.get("status", {})
        return bool(status.get("availableReplicas", 0) == available)

    wait_until(reached, f"{available} pods of {name} available", timeout=30)


def test_pods_of_a_deployment_become_ready(shared_cluster: Cluster, namespace: str) -> None:
    create(shared_cluster, namespace, deployment("plain", replicas=5))
    wait_for_deployment(shared_cluster, namespace, "plain", 5)


def test_a_pod_told_to_never_be_ready_runs_and_is_made_ready_by_another_annotation(
    shared_cluster: Cluster, namespace: str
) -> None:
    create(shared_cluster, namespace, deployment("held", {"ready-after": "never"}))
    wait_until(
        lambda: [conditions(p).get("Ready") for p in pods(shared_cluster, namespace)] == ["False"], "pod not ready"
    )
    shared_cluster.kubectl("annotate", "pod", "-n", namespace, "--all", "--overwrite", "pods.test/ready-after=0s")
    wait_for_deployment(shared_cluster, namespace, "held", 1)


def test_a_ready_pod_becomes_unready_when_told(shared_cluster: Cluster, namespace: str) -> None:
    create(shared_cluster, namespace, deployment("lost"))
    wait_for_deployment(shared_cluster, namespace, "lost", 1)
    shared_cluster.kubectl("annotate", "pod", "-n", namespace, "--all", "pods.test/ready-after=never")
    wait_for_deployment(shared_cluster, namespace, "lost", 0)


def test_a_pod_becomes_ready_after_the_delay_that_it_asks_for(shared_cluster: Cluster, namespace: str) -> None:
    began = time.monotonic()
    create(shared_cluster, namespace, deployment("slow", {"ready-after": "2s"}))
    wait_for_deployment(shared_cluster, namespace, "slow", 1)
    assert time.monotonic() - began >= 2


@pytest.mark.parametrize(("outcome", "reason"), [("crash", "CrashLoopBackOff"), ("no-image", "ImagePullBackOff")])
def test_a_pod_told_to_fail_waits_with_the_reason(
    shared_cluster: Cluster, namespace: str, outcome: str, reason: str
) -> None:
    create(shared_cluster, namespace, deployment("bad", {"outcome": outcome}))

    def waiting() -> bool:
        return [
            status["state"].get("waiting", {}).get("reason")
            for pod in pods(shared_cluster, namespace)
            for status in pod["status"].get("containerStatuses") or []
        ] == [reason]

    wait_until(waiting, f"pod waits with {reason}", timeout=20)


@pytest.mark.parametrize(("told", "condition"), [({}, "Complete"), ({"outcome": "fail"}, "Failed")])
def test_a_job_ends_as_its_pod_does(
    shared_cluster: Cluster, namespace: str, told: dict[str, str], condition: str
) -> None:
    create(shared_cluster, namespace, job("work", told))
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs/work"
    wait_until(
        lambda: conditions(shared_cluster.api.request("GET", path).body).get(condition) == "True",
        f"Job is {condition}",
        timeout=30,
    )


def test_a_deleted_pod_goes_at_once_unless_it_asks_for_time(shared_cluster: Cluster, namespace: str) -> None:
    for name, time_asked in (("quick", "0s"), ("slow", "2s")):
        create(shared_cluster, namespace, deployment(name, {"terminate-after": time_asked}))
        wait_for_deployment(shared_cluster, namespace, name, 1)
    took = {}
    for name in ("quick", "slow"):
        began = time.monotonic()
        shared_cluster.kubectl("delete", "deployment", name, "-n", namespace, "--cascade=foreground")
        took[name] = time.monotonic() - began
    assert took["slow"] >= 2 > took["quick"]


def test_deleting_a_namespace_removes_everything_in_it(shared_cluster: Cluster, namespace: str) -> None:
    create(shared_cluster, namespace, deployment("whole"))
    create(shared_cluster, namespace, job("endless", {"complete-after": "never"}))
    wait_for_deployment(shared_cluster, namespace, "whole", 1)
    shared_cluster.kubectl("delete", "namespace", namespace, "--timeout=40s")


def test_pods_wait_while_the_node_is_cordoned(fresh_cluster: Cluster) -> None:
    fresh_cluster.cordon()
    create(fresh_cluster, "default", deployment("waiting"))
    wait_until(
        lambda: [conditions(p).get("PodScheduled") for p in pods(fresh_cluster, "default")] == ["False"],
        "pod is not scheduled",
    )
    fresh_cluster.uncordon()
    wait_for_deployment(fresh_cluster, "default", "waiting", 1)


def test_a_service_accounts_token_has_the_rights_of_that_account(shared_cluster: Cluster, namespace: str) -> None:
    shared_cluster.kubectl("create", "serviceaccount", "reader", "-n", namespace)
    kubeconfig = shared_cluster.service_account_kubeconfig(namespace, "reader")
    told = shared_cluster.kubectl("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}", kubeconfig=kubeconfig)
    assert told.stdout == f"system:serviceaccount:{namespace}:reader"
    assert Api(kubeconfig).request("GET", f"/api/v1/namespaces/{namespace}/secrets").status == 403


def test_a_users_certificate_carries_the_user_and_the_group(shared_cluster: Cluster) -> None:
    kubeconfig = shared_cluster.user_kubeconfig("jane", "developers")
    told = shared_cluster.kubectl("auth", "whoami", "-o", "jsonpath={.status.userInfo}", kubeconfig=kubeconfig).stdout
    assert '"username":"jane"' in told
    assert '"developers"' in told


def test_the_api_server_stops_and_comes_back_with_all_objects(fresh_cluster: Cluster) -> None:
    fresh_cluster.kubectl("create", "configmap", "kept")
    fresh_cluster.stop_apiserver()
    assert fresh_cluster.kubectl("get", "--raw", "/readyz", check=False).returncode != 0
    fresh_cluster.start_apiserver()
    assert fresh_cluster.kubectl("get", "configmap", "kept").returncode == 0


def test_two_clusters_run_side_by_side(shared_cluster: Cluster, fresh_cluster: Cluster) -> None:
    fresh_cluster.kubectl("create", "configmap", "only-here")
    assert shared_cluster.server != fresh_cluster.server
    assert shared_cluster.kubectl("get", "configmap", "only-here", check=False).returncode != 0


def test_nothing_is_left_of_a_stopped_cluster(fresh_cluster: Cluster) -> None:
    pids, directory = fresh_cluster.pids(), fresh_cluster.directory
    fresh_cluster.stop()
    assert directory is not None
    assert not directory.exists()
    assert not [name for name, pid in pids.items() if pid and _alive(pid)]


@contextlib.contextmanager
def cluster_of_another_process() -> Iterator[tuple[Cluster, subprocess.Popen[str]]]:
    """A cluster that a child of ours started and waits with."""
    program = "from tests.cluster.cluster import start_cluster as s; print(s().directory, flush=True); input()"
    owner = subprocess.Popen(
        [sys.executable, "-c", program], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    cluster = open_cluster(Path(owner.stdout.readline().strip()))
    try:
        yield cluster, owner
    finally:
        owner.kill()
        owner.communicate()
        cluster.stop()


def test_a_cluster_goes_with_its_owner_also_when_that_is_killed() -> None:
    with cluster_of_another_process() as (cluster, owner):
        pids, directory = cluster.pids(), cluster.directory
        owner.send_signal(signal.SIGKILL)
        owner.wait()
        assert directory is not None
        wait_until(lambda: not directory.exists(), "the directory is gone", timeout=20)
        assert not [name for name, pid in pids.items() if pid and _alive(pid)]


def test_the_processes_die_with_a_killed_supervisor_and_the_directory_is_swept(fresh_cluster: Cluster) -> None:
    pids, directory = fresh_cluster.pids(), fresh_cluster.directory
    assert directory is not None
    os.kill(fresh_cluster.supervisor, signal.SIGKILL)
    wait_until(lambda: not [n for n, pid in pids.items() if pid and _alive(pid)], "all processes are gone", timeout=20)
    assert directory in sweep()
    assert not directory.exists()


def test_sweeping_leaves_a_directory_that_is_in_use_or_about_to_be() -> None:
    starting = new_directory()
    used = new_directory()
    with held(used):
        assert not {starting, used} & set(sweep())
    starting.rmdir()
    assert used in sweep()


def _alive(pid: int) -> bool:
    """Whether the process runs: one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
