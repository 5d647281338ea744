"""The image as a Job in real pods: first install, upgrade, and how it ends when it is told to."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import urllib3
import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.images.containers import run, settings
from tests.cluster.images.product import load_image, product_image
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.cluster.processes import wait_until
from tests.node.hook_job import HookJob
from tests.node.workload import component, shared

pytestmark = pytest.mark.node

ACTIVE = [("deployment", "active", "True"), ("static", "active", "True")]


def test_it_installs_and_upgrades_real_pods_without_a_gap(
    node_cluster: Cluster, hook: HookJob, servers: dict[str, str]
) -> None:
    first = component("v1", servers["v1"])
    hook.deliver("v1", first)
    ended = hook.wait()
    assert ended.exit_code == 0, ended.logs
    assert hook.sets() == {"v1": ACTIVE}

    address = hook.get("service", "web")["spec"]["clusterIP"]
    targets = targets_of(node_cluster.api, shared(first), namespace=hook.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe, visitors(f"http://{address}/") as answers:
        hook.deliver("v2", component("v2", servers["v2"]))
        ended = hook.wait()
    assert ended.exit_code == 0, ended.logs
    assert "v2" in ended.message
    assert hook.sets() == {"v2": ACTIVE}
    assert (hook.get("configmap", "only-v1"), bool(hook.get("configmap", "only-v2"))) == ({}, True)
    assert probe.report.gone() == []
    assert set(answers) == {"v1", "v2"}, answers


def test_a_workload_that_never_becomes_ready_leaves_the_old_generation_alone(
    hook: HookJob, servers: dict[str, str]
) -> None:
    hook.deliver("v1", component("v1", servers["v1"]))
    assert hook.wait().exit_code == 0
    hook.deliver("v2", component("v2", servers["v2"], broken=True), HANDOFF_TIMEOUT="8s")
    wait_until(lambda: len(ended_pods(hook)) >= 1, "the run has reached its time limit", timeout=60)
    ended = ended_pods(hook)[0]
    assert ended["exitCode"] == 124
    assert "Deployment" in ended["message"]
    assert "web" in ended["message"]
    assert hook.sets()["v1"] == ACTIVE
    assert hook.get("configmap", "only-v1")
    hook.deliver("v2", component("v2", servers["v2"]))
    assert hook.wait().exit_code == 0
    assert hook.sets() == {"v2": ACTIVE}


def test_a_deleted_pod_ends_within_five_seconds_and_the_next_one_goes_on(
    hook: HookJob, servers: dict[str, str]
) -> None:
    hook.deliver("v1", component("v1", servers["v1"], broken=True))
    wait_until(lambda: bool(hook.get("deployment", "web")), "the run waits for its workload", timeout=60)
    (pod,) = hook.pods()
    ended = hook.terminated(pod["metadata"]["name"])
    assert ended["exitCode"] == 143
    assert ended["seconds"] <= 5, ended
    assert not hook.lease_holder().startswith(pod["metadata"]["name"])
    wait_until(lambda: holds_the_lease(hook), "the next pod has the Lease", timeout=60)


def test_a_container_of_podman_ends_within_five_seconds(
    node_cluster: Cluster, hook: HookJob, servers: dict[str, str], tmp_path: Path
) -> None:
    """As `docker run` would: a kubeconfig and a directory mounted, any user, nothing writable."""
    image, archive = product_image()
    load_image(image, archive)
    source, kubeconfig = tmp_path / "source", tmp_path / "kubeconfig"
    source.mkdir()
    (source / "release.yaml").write_text(yaml.safe_dump_all(component("v1", servers["v1"], broken=True)))
    shutil.copy(node_cluster.kubeconfig, kubeconfig)
    kubeconfig.chmod(0o644)
    command = [
        *("podman", "run", "--name", hook.component, "--network=host", "--read-only", "--user=1234:0"),
        *("--volume", f"{kubeconfig}:/kubeconfig:ro", "--volume", f"{source}:/input:ro", image),
        *("run", "--kubeconfig=/kubeconfig", "--source=/input", f"--component={hook.component}"),
        f"--namespace={hook.namespace}",
    ]
    try:
        with subprocess.Popen(
            command, env={**os.environ, **settings()}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            wait_until(lambda: bool(hook.get("deployment", "web")), "the run waits for its workload", timeout=60)
            # Sent and timed directly: on a busy machine podman itself takes seconds for that.
            first = int(run(["podman", "inspect", "--format={{.State.Pid}}", hook.component]))
            ended = os.pidfd_open(first)
            os.kill(first, signal.SIGTERM)
            assert select.select([ended], [], [], 5)[0], "it still runs 5 s after SIGTERM"
            os.close(ended)
            output, _ = process.communicate(timeout=60)
        assert process.returncode == 143, output
        assert hook.lease_holder() == ""
    finally:
        run(["podman", "rm", "--force", "--ignore", hook.component])


@contextmanager
def visitors(url: str) -> Iterator[Counter[str]]:
    """Requests to the Service all the while; counts the answers, and what went wrong by its name."""
    answers: Counter[str] = Counter()
    stop = threading.Event()

    def visit() -> None:
        # A connection for each request: one that is kept would stay with its pod.
        pool = urllib3.PoolManager(retries=False, headers={"Connection": "close"})
        while not stop.wait(0.05):
            try:
                answers[pool.request("GET", url, timeout=3.0).data.decode().strip()] += 1
            except urllib3.exceptions.HTTPError as error:
                answers[type(error).__name__] += 1

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        wait_until(lambda: answers.total() > 0, "the Service answers", timeout=20)
        yield answers
    finally:
        stop.set()
        visitor.join()


def ended_pods(hook: HookJob) -> list[dict[str, Any]]:
    """How the containers of the Job's pods ended, those that did."""
    states = [(pod["status"].get("containerStatuses") or [{}])[0].get("state", {}) for pod in hook.pods()]
    return [state["terminated"] for state in states if "terminated" in state]


def holds_the_lease(hook: HookJob) -> bool:
    """Whether one of the Job's pods holds the component's Lease."""
    holder = hook.lease_holder()
    return any(holder.startswith(f"{pod['metadata']['name']}-") for pod in hook.pods())
