"""What holds for every kind."""

from __future__ import annotations

from typing import Any

import pytest

from hook.manifests.identity import Object
from hook.readiness.assess import min_ready_seconds
from hook.readiness.state import State
from tests.unit.readiness.samples import deployment, judged, live, state, widget


@pytest.mark.parametrize(
    "obj",
    [
        None,
        5,
        "text",
        [],
        {},
        {"apiVersion": "v1", "kind": "ConfigMap"},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": None},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": []},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ""}},
        {"apiVersion": "v1", "kind": "", "metadata": {"name": "x"}},
        {"apiVersion": 1, "kind": "ConfigMap", "metadata": {"name": "x"}},
        {"kind": "ConfigMap", "metadata": {"name": "x"}},
    ],
)
def test_what_is_no_object_is_unknown(obj: Any) -> None:
    assert state(obj) is State.UNKNOWN


@pytest.mark.parametrize("obj", [deployment(), widget(), live("v1", "ConfigMap"), live("v1", "Pod", status=5)])
def test_a_deletion_wins_over_everything(obj: Object) -> None:
    obj = {**obj, "metadata": {**obj["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert state(obj) is State.TERMINATING


@pytest.mark.parametrize("stamp", [None, ""])
def test_an_empty_deletion_timestamp_is_none(stamp: Any) -> None:
    assert state(live("v1", "ConfigMap", metadata={"deletionTimestamp": stamp})) is State.CURRENT


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "ServiceAccount"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("networking.k8s.io/v1", "IngressClass"),
        ("networking.k8s.io/v1", "NetworkPolicy"),
        ("storage.k8s.io/v1", "StorageClass"),
        ("scheduling.k8s.io/v1", "PriorityClass"),
    ],
)
def test_status_less_kinds_are_ready_by_existing(api_version: str, kind: str) -> None:
    verdict = judged(live(api_version, kind))
    assert (verdict.state, verdict.warning) == (State.CURRENT, None)


def test_the_same_kind_in_another_group_is_another_kind() -> None:
    assert state(live("example.org/v1", "ConfigMap")) is State.IN_PROGRESS


def test_the_object_is_not_changed() -> None:
    obj = deployment({"paused": False})
    before = repr(obj)
    judged(obj)
    assert repr(obj) == before


def test_words_of_the_object_cannot_break_a_line_of_a_report() -> None:
    verdict = judged(live("v1", "Namespace", status={"phase": "a\nb\x1b[2J" + "c" * 9999}))
    assert "\n" not in verdict.reason
    assert "\x1b" not in verdict.reason
    assert len(verdict.reason) <= 400


@pytest.mark.parametrize(
    ("spec", "seconds"),
    [
        ({}, 0),
        ({"minReadySeconds": 7}, 7),
        ({"minReadySeconds": "7"}, 0),
        ({"minReadySeconds": -1}, 0),
        (5, 0),
        (None, 0),
    ],
)
def test_seconds_of_readiness_are_read_and_odd_ones_are_none(spec: Any, seconds: int) -> None:
    assert min_ready_seconds(live("apps/v1", "Deployment", spec=spec)) == seconds
