"""The first pod-level cause, as people are told it."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.causes import pod_cause
from tests.unit.readiness.samples import condition


def pod(name: str = "web-1", phase: str = "Running", *conditions: Object, **status: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ns"},
        "status": {"phase": phase, "conditions": list(conditions), **status},
    }


def container(**parts: Any) -> list[Object]:
    return [{"name": "app", "image": "reg/app:2", "ready": False, "restartCount": 4, **parts}]


def waiting(reason: str, message: str = "", **parts: Any) -> list[Object]:
    return container(state={"waiting": {"reason": reason, "message": message}}, **parts)


CRASHED = waiting("CrashLoopBackOff", lastState={"terminated": {"exitCode": 137, "reason": "OOMKilled"}})


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (
            {"containerStatuses": waiting("ImagePullBackOff", "not found")},
            "pod web-1: container app: image reg/app:2 cannot be pulled (ImagePullBackOff: not found)",
        ),
        (
            {"initContainerStatuses": waiting("ErrImagePull")},
            "pod web-1: init container app: image reg/app:2 cannot be pulled (ErrImagePull)",
        ),
        (
            {"containerStatuses": waiting("CreateContainerConfigError", 'secret "s" not found')},
            'pod web-1: container app: it cannot be started (CreateContainerConfigError: secret "s" not found)',
        ),
        (
            {"containerStatuses": CRASHED},
            "pod web-1: container app: crash loop, last exit code 137 (OOMKilled), 4 restarts",
        ),
        (
            {"containerStatuses": waiting("CrashLoopBackOff")},
            "pod web-1: container app: crash loop, 4 restarts",
        ),
        (
            {"containerStatuses": container(state={"terminated": {"exitCode": 1, "reason": "Error"}})},
            "pod web-1: container app: it ended, last exit code 1",
        ),
        (
            {"containerStatuses": container(state={"running": {}}, started=True)},
            "pod web-1: container app: its readiness probe has not succeeded",
        ),
        (
            {"containerStatuses": container(state={"running": {}}, started=False)},
            "pod web-1: container app: its startup probe has not succeeded",
        ),
    ],
)
def test_a_container_that_does_not_get_on_is_told(status: Object, told: str) -> None:
    assert pod_cause([pod(**status)]) == told


def test_unschedulable_is_told_with_the_scheduler_s_words() -> None:
    cause = condition("PodScheduled", "False", "Unschedulable", message="0/3 nodes:\n  insufficient cpu")
    assert pod_cause([pod("web-1", "Pending", cause)]) == "pod web-1: unschedulable (0/3 nodes: insufficient cpu)"


def test_a_readiness_gate_that_is_not_met_is_told() -> None:
    gate = condition("Ready", "False", "ReadinessGatesNotReady", message='gate "lb" is not True')
    assert (
        pod_cause([pod("web-1", "Running", gate)]) == 'pod web-1: a readiness gate is not met (gate "lb" is not True)'
    )


def test_a_failing_probe_is_told_with_its_last_event() -> None:
    about = {"involvedObject": {"kind": "Pod", "name": "web-1"}, "reason": "Unhealthy"}
    events = [
        {**about, "message": "Readiness probe failed: 404"},
        {**about, "message": "Readiness probe failed: 503"},
        {**about, "involvedObject": {"kind": "Pod", "name": "other"}, "message": "Readiness probe failed: 999"},
    ]
    told = pod_cause([pod(containerStatuses=container(state={"running": {}}, started=True))], events)
    assert told == "pod web-1: container app: its readiness probe has not succeeded (Readiness probe failed: 503)"


def test_a_volume_that_does_not_mount_is_told_from_events() -> None:
    event = {"regarding": {"kind": "Pod", "name": "web-1"}, "reason": "FailedMount", "note": 'secret "s" not found'}
    assert pod_cause([pod("web-1", "Pending")], [event]) == 'pod web-1: FailedMount: secret "s" not found'


def test_of_several_causes_the_one_that_waiting_helps_least_comes_first() -> None:
    probe = pod("a", containerStatuses=container(state={"running": {}}, started=True))
    crash = pod("b", containerStatuses=CRASHED)
    image = pod("c", containerStatuses=waiting("ErrImagePull"))
    assert (pod_cause([probe, crash, image]) or "").startswith("pod c:")
    assert (pod_cause([probe, crash]) or "").startswith("pod b:")


def test_ready_succeeded_and_terminating_pods_are_no_cause() -> None:
    ready = pod("a", "Running", condition("Ready"), containerStatuses=container(ready=True, state={"running": {}}))
    done = pod("b", "Succeeded", containerStatuses=container(state={"terminated": {"exitCode": 0}}))
    going = pod("c", containerStatuses=CRASHED)
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert pod_cause([ready, done, going]) is None


def test_no_pods_are_no_cause() -> None:
    assert pod_cause([]) is None


@pytest.mark.parametrize("odd", [{"status": "x"}, {"status": {"containerStatuses": 5}}, {"metadata": []}, {}])
def test_an_odd_pod_is_passed_over(odd: Object) -> None:
    assert (pod_cause([odd, pod("b", containerStatuses=CRASHED)]) or "").startswith("pod b:")


def test_an_odd_event_is_passed_over() -> None:
    told = pod_cause(
        [pod(containerStatuses=CRASHED)], [{"involvedObject": 5}, {"involvedObject": {"name": "web-1"}, "reason": 5}]
    )
    assert (told or "").startswith("pod web-1: container app: crash loop")


def test_control_characters_and_long_messages_do_not_reach_a_terminal() -> None:
    told = pod_cause([pod(containerStatuses=waiting("ErrImagePull", "\x1b[31m" + "long " * 500))]) or ""
    assert "\x1b" not in told
    assert len(told) < 600
