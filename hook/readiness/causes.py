"""Why a workload's pods are not ready: the first cause that can be seen on the pods themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from hook.manifests.identity import Object
from hook.readiness.conditions import one_line
from hook.readiness.fields import OddField, count, flag, mapping, mappings, text

_PULL: Final = frozenset(
    {
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImageInspectError",
        "ImagePullBackOff",
        "InvalidImageName",
        "RegistryUnavailable",
        "SignatureValidationFailed",
    }
)
_CONFIG: Final = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "PreCreateHookError", "RunContainerError"}
)


class _Rank(IntEnum):
    """Which of several causes is told: the one that waiting helps least comes first."""

    IMAGE = 1
    CONFIGURATION = 2
    CRASH = 3
    SCHEDULING = 4
    FAILED = 5
    START = 6
    PROBE = 7


def pod_cause(pods: Sequence[Object], events: Sequence[Object] = ()) -> str | None:
    """The first cause among some pods, as one line that names the pod; None where none is to be seen.

    `events` are Events (v1 or events.k8s.io/v1) about these pods, if there are any at hand: they tell why a
    probe fails or a volume does not mount. Odd pods are passed over.
    """
    causes: list[tuple[_Rank, str, str]] = []
    for pod in pods:
        try:
            name = text(mapping(pod, "metadata"), "name")
            if mapping(pod, "metadata").get("deletionTimestamp") is None:
                causes.extend((rank, name, told) for rank, told in _causes(pod, _about(name, events)))
        except OddField:
            continue
    if not causes:
        return None
    _, name, told = min(causes)
    return f"pod {name}: {told}"


def cause_within(pod: Mapping[str, Any]) -> str | None:
    """The first cause that one Pod shows itself, without its name; raises OddField for an odd one."""
    return min(_causes(pod, {}), default=(None, None))[1]


def container_cause(status: Mapping[str, Any]) -> str | None:
    """The reason for which a container of a Pod's status does not start and is tried again, e.g. `CrashLoopBackOff`."""
    for _, container in _containers(status):
        reason = text(mapping(mapping(container, "state"), "waiting"), "reason")
        if reason in _PULL or reason in _CONFIG or reason == "CrashLoopBackOff":
            return reason
    return None


def _causes(pod: Mapping[str, Any], events: Mapping[str, str]) -> Iterator[tuple[_Rank, str]]:
    status = mapping(pod, "status")
    phase = text(status, "phase")
    if phase == "Succeeded":
        return
    if phase == "Failed":
        yield _Rank.FAILED, _why("failed", text(status, "reason"), text(status, "message"))
    for what, container in _containers(status):
        yield from _container(what, container, events, done=phase == "Failed")
    for condition in mappings(status, "conditions"):
        if text(condition, "status") != "False":
            continue
        type_, reason = text(condition, "type"), text(condition, "reason")
        if type_ == "PodScheduled":
            yield _Rank.SCHEDULING, _why("unschedulable", "", text(condition, "message") or reason)
        elif type_ == "Ready" and reason == "ReadinessGatesNotReady":
            yield _Rank.PROBE, _why("a readiness gate is not met", "", text(condition, "message"))
    for reason in ("FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"):
        if phase == "Pending" and reason in events:
            yield _Rank.START, f"{reason}: {events[reason]}"


def _container(
    what: str, container: Mapping[str, Any], events: Mapping[str, str], *, done: bool
) -> Iterator[tuple[_Rank, str]]:
    state = mapping(container, "state")
    waiting, running = mapping(state, "waiting"), state.get("running") is not None
    reason, message = text(waiting, "reason"), text(waiting, "message")
    if reason in _PULL:
        image = text(container, "image")
        yield _Rank.IMAGE, f"{what}: {_why(f'image {image} cannot be pulled', reason, message)}"
    elif reason in _CONFIG:
        yield _Rank.CONFIGURATION, f"{what}: {_why('it cannot be started', reason, message)}"
    elif reason == "CrashLoopBackOff":
        restarts = count(container, "restartCount", 0)
        ended = _exit(mapping(mapping(container, "lastState"), "terminated"))
        yield _Rank.CRASH, f"{what}: crash loop{ended}, {restarts} restarts"
    elif terminated := mapping(state, "terminated"):
        if terminated.get("exitCode") != 0:
            yield _Rank.FAILED if done else _Rank.CRASH, f"{what}: it ended{_exit(terminated)}"
    elif running and not flag(container, "ready") and not what.startswith("init"):
        probe = "startup" if container.get("started") is False else "readiness"
        told = f"its {probe} probe has not succeeded"
        yield _Rank.PROBE, f"{what}: " + _why(told, "", events.get("Unhealthy", ""))


def _containers(status: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, what in (("initContainerStatuses", "init container"), ("containerStatuses", "container")):
        for container in mappings(status, key, "status"):
            yield f"{what} {text(container, 'name')}", container


def _about(pod: str, events: Sequence[Object]) -> dict[str, str]:
    """The last message by reason, of the events about that pod (they come in order of time)."""
    found: dict[str, str] = {}
    for event in events:
        try:
            about = mapping(event, "involvedObject") or mapping(event, "regarding")
            if text(about, "name") == pod and text(about, "kind") in ("", "Pod"):
                found[text(event, "reason")] = one_line(text(event, "message") or text(event, "note"))
        except OddField:
            continue
    return found


def _exit(terminated: Mapping[str, Any]) -> str:
    """`, last exit code 137 (OOMKilled)`"""
    code = terminated.get("exitCode")
    if isinstance(code, bool) or not isinstance(code, int):
        return ""
    reason = text(terminated, "reason")
    return f", last exit code {code}" + (f" ({reason})" if reason and reason != "Error" else "")


def _why(told: str, reason: str, message: str) -> str:
    why = ": ".join(part for part in (reason, one_line(message)) if part)
    return f"{told} ({why})" if why else told
