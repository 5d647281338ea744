"""What `handoff readiness` prints, and its exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hook.errors import InvalidInput
from hook.readiness.rules import Rules, rules_from
from hook.report.readiness import read_objects, readiness_command

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "ns"}}
PENDING = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "ns"},
    "status": {"phase": "Pending"},
}
LOST = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "l", "namespace": "ns"},
    "status": {"phase": "Lost"},
}
PAUSED = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"paused": True}}
DELETED = {**CONFIG, "metadata": {"name": "c", "deletionTimestamp": "2026-01-01T00:00:00Z"}}


def read(text: str) -> list[Any]:
    return read_objects(text.encode(), "live.yaml")


@pytest.mark.parametrize(
    ("objects", "exit_code"),
    [
        ([CONFIG], 0),
        ([CONFIG, CONFIG], 0),
        ([], 0),
        ([CONFIG, PENDING], 10),
        ([CONFIG, DELETED], 10),
        (["text"], 10),
        ([LOST], 4),
        ([PAUSED], 4),
        ([PENDING, LOST, CONFIG], 4),
        ([PENDING, PAUSED], 4),
    ],
)
@pytest.mark.parametrize("output", ["json", "text"])
def test_the_exit_code_is_that_of_the_worst(objects: list[Any], exit_code: int, output: str) -> None:
    assert readiness_command(objects, Rules(), output)[1] == exit_code


def test_json_lists_each_object_with_its_verdict_in_the_order_of_the_file() -> None:
    report, _ = readiness_command([PENDING, CONFIG], Rules(), "json")
    first, second = json.loads(report)
    assert first == {
        "object": {"group": "", "kind": "Pod", "namespace": "ns", "name": "p"},
        "state": "InProgress",
        "reason": "it is pending",
        "waitingFor": "condition Ready",
        "warning": None,
    }
    assert second["object"]["name"] == "c"
    assert (second["waitingFor"], second["warning"]) == (None, None)


def test_a_cluster_scoped_object_has_an_empty_namespace_and_a_group_its_name() -> None:
    report, _ = readiness_command([PAUSED], Rules(), "json")
    assert json.loads(report)[0]["object"] == {"group": "apps", "kind": "Deployment", "namespace": "", "name": "d"}


def test_text_tells_state_object_reason_and_what_is_waited_for() -> None:
    report, _ = readiness_command([PENDING], Rules(), "text")
    assert report.splitlines() == [
        "InProgress   Pod ns/p: it is pending",
        "             waiting for condition Ready",
    ]


def test_text_tells_warnings() -> None:
    empty = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w"}}
    report, _ = readiness_command([empty], Rules(), "text")
    assert "warning: taken to be ready if none is written in 60 s" in report


@pytest.mark.parametrize(
    "odd", [None, 5, "text", [], {"kind": 7, "metadata": {"name": []}}, {"kind": "Pod"}, {"kind": "\ud800"}]
)
@pytest.mark.parametrize("output", ["json", "text"])
def test_what_is_no_object_is_listed_as_unknown(odd: Any, output: str) -> None:
    report, exit_code = readiness_command([odd], Rules(), output)
    assert "Unknown" in report
    assert exit_code == 10
    assert report.encode()


def test_rules_are_used() -> None:
    obj = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "w"}, "status": {"phase": "Up"}}
    rule = {"apiVersion": "example.org/v1", "kind": "Widget", "current": "status.phase == 'Down'"}
    assert readiness_command([obj], rules_from([rule]), "json")[1] == 10


def test_objects_of_a_file_are_each_other_s_related_objects() -> None:
    hook = {"namespace": "ns", "name": "hook"}
    webhook = {"name": "w", "clientConfig": {"service": hook}}
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "v"},
        "webhooks": [webhook],
    }
    service = {"apiVersion": "v1", "kind": "Service", "metadata": hook, "spec": {"selector": {"app": "hook"}}}
    assert readiness_command([configuration], Rules(), "json")[1] == 0
    assert readiness_command([configuration, service], Rules(), "json")[1] == 10


def test_a_workload_that_is_not_ready_is_told_with_the_first_cause_of_its_pods() -> None:
    labels = {"app": "web"}
    workload = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "ns", "generation": 1},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1},
    }
    probed = {"name": "app", "ready": False, "started": True, "state": {"running": {}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-1", "namespace": "ns", "labels": labels},
        "status": {"phase": "Running", "containerStatuses": [probed]},
    }
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "ns"},
        "involvedObject": {"kind": "Pod", "name": "web-1"},
        "reason": "Unhealthy",
        "message": "Readiness probe failed: 503",
    }
    report, _ = readiness_command([workload, pod, event], Rules(), "json")
    assert json.loads(report)[0]["reason"] == (
        "0 of 1 pods are ready; pod web-1: container app: its readiness probe has not succeeded "
        "(Readiness probe failed: 503)"
    )


def test_lists_are_unpacked_whatever_is_in_them() -> None:
    text = json.dumps(
        {"apiVersion": "v1", "kind": "List", "items": [CONFIG, "text", {"kind": "List", "items": [PENDING]}]}
    )
    assert read(text) == [CONFIG, "text", PENDING]


def test_items_of_a_typed_list_take_its_kind() -> None:
    item = {"metadata": {"name": "c"}}
    assert read(json.dumps({"apiVersion": "v1", "kind": "ConfigMapList", "items": [item]})) == [
        {"apiVersion": "v1", "kind": "ConfigMap", **item}
    ]


@pytest.mark.parametrize("items", [None, []])
def test_an_empty_list_has_no_objects(items: Any) -> None:
    assert read(json.dumps({"apiVersion": "v1", "kind": "List", "items": items})) == []


def test_a_named_object_whose_kind_ends_like_a_list_is_an_object() -> None:
    allowed = {"apiVersion": "example.org/v1", "kind": "AllowList", "metadata": {"name": "a"}, "items": ["x"]}
    assert read(json.dumps(allowed)) == [allowed]


def test_several_yaml_documents_are_several_objects() -> None:
    assert read("apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n") == [
        {"apiVersion": "v1", "kind": "A"},
        {"apiVersion": "v1", "kind": "B"},
    ]


def test_what_is_no_yaml_is_bad_input_with_file_and_line() -> None:
    with pytest.raises(InvalidInput, match=r"^live\.yaml:\d"):
        read("a: b\nc: [\n")


def test_an_annotation_that_does_not_compile_is_bad_input_with_file_and_line_and_position() -> None:
    text = 'kind: A\nmetadata:\n  annotations: {installersets.io/ready-when: "status ="}\n'
    with pytest.raises(InvalidInput, match=r"^live\.yaml:1: annotation .*: line 1, column 8: Syntax error"):
        read(text)
