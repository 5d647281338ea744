"""The image as a Job whose pods are killed and evicted, from a component's first install to its removal.

Under just the rights that `handoff rbac` prints for its two versions.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.node.conftest import hook_in_new_namespace
from tests.node.hook_job import REMOVAL, RUN, Ended, HookJob
from tests.node.workload import Object, component, manifest

pytestmark = pytest.mark.node

ACTIVE = [("deployment", "active", "True"), ("static", "active", "True")]
PASSWORDS = {"v1": "first-known-to-nobody", "v2": "second-known-to-nobody"}


def release(version: str, image: str) -> list[Object]:
    """The web server with a Secret."""
    return [*component(version, image), manifest("v1", "Secret", "web", stringData={"password": PASSWORDS[version]})]


def held_back(objects: list[Object], gate: str) -> list[Object]:
    """The same; its pods start when the node has that label, so that a run is in the middle until then."""
    for item in objects:
        if item["kind"] == "Deployment":
            item["spec"]["template"]["spec"]["nodeSelector"] = {f"gates.test/{gate}": "open"}
    return objects


@dataclass(frozen=True)
class Delivery:
    """What one Job left: how its last container ended, itself, its pods, the sets, and the logs of all of its pods."""

    ended: Ended
    job: dict[str, Any]
    pods: list[dict[str, Any]]
    sets: dict[str, list[tuple[str, str, str]]]
    set_uids: set[str]
    logs: list[str]


@dataclass(frozen=True)
class Life:
    """One component from install to removal."""

    installed: Delivery
    upgraded: Delivery  # the container of the first pod was killed
    recorded: set[str]  # the uids of the sets when it was
    reverted: Delivery  # the first pod was evicted
    eviction: dict[str, Any]
    removed: Delivery
    events: list[dict[str, Any]]
    left: dict[str, list[str]]  # version to what only that one has, after each delivery


@pytest.fixture(scope="module")
def life(
    node_cluster: Cluster, hook_image: str, servers: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Life:
    name = "component-with-a-life"
    hook = hook_in_new_namespace(node_cluster, name, hook_image, tmp_path_factory.mktemp(name))

    def start(version: str, other: str, gate: str = "") -> None:
        objects = release(version, servers[version])
        hook.deliver(version, held_back(objects, gate) if gate else objects, release(other, servers[other]))

    def only() -> list[str]:
        return [version for version in ("v1", "v2") if hook.get("configmap", f"only-{version}")]

    start("v1", "v2")
    installed = finished(hook)
    left = {"installed": only()}

    start("v2", "v1", "upgrade")
    pod = in_the_middle(hook, servers["v2"])
    recorded = hook.uids("installersets")
    hook.kill(pod)
    open_gate(node_cluster, "upgrade")
    upgraded = finished(hook)
    left["upgraded"] = only()

    start("v1", "v2", "revert")
    pod = in_the_middle(hook, servers["v1"])
    early = hook.logs(pod["metadata"]["name"])  # an evicted pod goes, with its logs
    eviction = hook.evicted(pod["metadata"]["name"])
    open_gate(node_cluster, "revert")
    reverted = finished(hook, early)
    left["reverted"] = only()

    events = hook.events()
    hook.remove()
    removed = finished(hook, job=REMOVAL)
    left["removed"] = only()
    return Life(installed, upgraded, recorded, reverted, eviction, removed, events, left)


def finished(hook: HookJob, *more: str, job: str = RUN) -> Delivery:
    """Waits for the Job; `more` are logs of pods that are gone."""
    ended = hook.wait(job, timeout=180)
    pods = hook.pods(job)
    logs = [hook.logs(pod["metadata"]["name"]) for pod in pods]
    return Delivery(ended, hook.get("job", job), pods, hook.sets(), hook.uids("installersets"), [*more, *logs])


def in_the_middle(hook: HookJob, image: str) -> dict[str, Any]:
    """The Job's pod, once its run has applied the workload and waits for it."""

    def waits() -> bool:
        pods, deployment = hook.pods(), hook.get("deployment", "web")
        image_now = deployment["spec"]["template"]["spec"]["containers"][0]["image"] if deployment else ""
        return bool(pods) and image_now == image and '"waiting"' in hook.logs(pods[0]["metadata"]["name"])

    wait_until(waits, "the run waits for its workload", timeout=60, pause=0.3)
    return hook.pods()[0]


def open_gate(cluster: Cluster, gate: str) -> None:
    cluster.kubectl("label", "node", "--all", f"gates.test/{gate}=open")


def exit_codes(delivery: Delivery) -> list[int]:
    return [pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] for pod in delivery.pods]


def test_after_a_kill_from_the_node_the_next_pod_finishes_with_the_sets_that_were_there(life: Life) -> None:
    assert life.upgraded.ended.exit_code == 0, life.upgraded.ended.logs
    assert exit_codes(life.upgraded) == [137, 0]
    assert life.upgraded.job["status"]["failed"] == 1
    assert life.upgraded.sets == {"v2": ACTIVE}
    assert life.upgraded.set_uids < life.recorded
    assert life.left["upgraded"] == ["v2"]


def test_of_a_killed_container_the_last_lines_of_its_log_are_its_message(life: Life) -> None:
    message = life.upgraded.pods[0]["status"]["containerStatuses"][0]["state"]["terminated"]["message"]
    assert json.loads(message.splitlines()[-1])["event"] == "waiting"


def test_an_evicted_pod_gives_the_lease_back_and_is_no_failure_of_the_job(life: Life) -> None:
    assert life.eviction["exitCode"] == 143
    assert life.eviction["seconds"] <= 5
    assert life.eviction["conditions"]["DisruptionTarget"] == "EvictionByEvictionAPI"
    assert "stopped by SIGTERM" in life.eviction["message"]
    assert life.reverted.ended.exit_code == 0, life.reverted.ended.logs
    assert not life.reverted.job["status"].get("failed")
    assert '"waiting for the Lease"' not in life.reverted.ended.logs


def test_a_revert_brings_the_version_before_back_and_takes_the_other_away(life: Life) -> None:
    assert (life.installed.sets, life.left["installed"]) == ({"v1": ACTIVE}, ["v1"])
    assert (life.reverted.sets, life.left["reverted"]) == ({"v1": ACTIVE}, ["v1"])
    assert not life.reverted.set_uids & life.upgraded.set_uids


def test_the_removal_job_takes_the_component_away(life: Life) -> None:
    assert life.removed.ended.exit_code == 0, life.removed.ended.logs
    assert (life.removed.sets, life.left["removed"]) == ({}, [])
    assert life.removed.ended.message.startswith("component-with-a-life")


@pytest.mark.parametrize("delivery", ["installed", "upgraded", "reverted"])
def test_the_termination_message_tells_what_was_done(life: Life, delivery: str) -> None:
    one: Delivery = getattr(life, delivery)
    version = next(iter(one.sets))
    first = one.ended.message.splitlines()[0]
    assert first.startswith(f"component-with-a-life {version} (generation ")
    assert ": done in " in first


def test_events_on_the_sets_tell_each_step(life: Life) -> None:
    told = {event["reason"] for event in life.events}
    assert {"Applied", "HandoffComplete", "Retired"} <= told
    assert {event["type"] for event in life.events if event["reason"] in ("Applied", "HandoffComplete")} == {"Normal"}


def test_logs_are_json_lines_and_nothing_says_a_secret_value(life: Life) -> None:
    deliveries = (life.installed, life.upgraded, life.reverted, life.removed)
    lines = [line for one in deliveries for log in one.logs for line in log.splitlines()]
    results = {line for one in deliveries for line in one.ended.message.splitlines()}
    logged = [json.loads(line) for line in lines if line not in results]  # stdout has the result
    assert len(logged) > 20
    assert all({"event", "level", "timestamp"} <= line.keys() for line in logged)
    told = "\n".join([*lines, *(json.dumps(one.pods) for one in deliveries), json.dumps(life.events)])
    for password in PASSWORDS.values():
        assert password not in told
        assert base64.b64encode(password.encode()).decode() not in told


def paused(objects: list[Object]) -> list[Object]:
    for item in objects:
        if item["kind"] == "Deployment":
            item["spec"]["paused"] = True
    return objects


def with_a_role_beyond_its_own(objects: list[Object]) -> list[Object]:
    rules = [{"apiGroups": ["example.org"], "resources": ["things"], "verbs": ["get"]}]
    return [*objects, manifest("rbac.authorization.k8s.io/v1", "Role", "web", rules=rules)]


LASTING: list[Any] = [
    pytest.param(2, lambda objects: objects, {"HANDOFF_TIMEOUT": "soon"}, "soon", id="2-settings"),
    pytest.param(3, lambda objects: objects, {"HANDOFF_DIGEST": f"sha256:{'0' * 64}"}, "digest", id="3-another-input"),
    pytest.param(4, paused, {}, "paused", id="4-paused"),
    pytest.param(5, with_a_role_beyond_its_own, {}, "rights missing", id="5-rights"),
]


@pytest.mark.parametrize(("code", "changed", "environment", "told"), LASTING)
def test_what_no_retry_can_change_fails_the_job_at_once_with_its_exit_code(
    hook: HookJob,
    servers: dict[str, str],
    code: int,
    changed: Callable[[list[Object]], list[Object]],
    environment: dict[str, Any],
    told: str,
) -> None:
    hook.deliver("v1", changed(component("v1", servers["v1"])), **environment)
    ended = hook.wait()
    assert (ended.exit_code, len(hook.pods())) == (code, 1), ended.logs
    assert told in ended.message
    failed = {c["type"]: c for c in hook.get("job", RUN)["status"]["conditions"]}["Failed"]
    assert failed["reason"] == "PodFailurePolicy"
    assert f"failed with exit code {code} matching FailJob rule" in failed["message"]
