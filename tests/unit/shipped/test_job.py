"""The shipped Job: settings that would go wrong unnoticed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hook.durations import parse_duration
from hook.settings import from_environment

FILE = Path(__file__).parents[3] / "manifests" / "job" / "job.yaml"


@pytest.fixture(scope="module")
def spec() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))["spec"]
    return found


@pytest.fixture(scope="module")
def pod(spec: dict[str, Any]) -> dict[str, Any]:
    return dict(spec["template"]["spec"])


@pytest.fixture(scope="module")
def container(pod: dict[str, Any]) -> dict[str, Any]:
    return dict(pod["containers"][0])


def test_it_has_a_fixed_name() -> None:
    assert yaml.safe_load(FILE.read_text("utf-8"))["metadata"] == {"name": "handoff"}


def test_it_has_no_time_to_live(spec: dict[str, Any]) -> None:
    assert "ttlSecondsAfterFinished" not in spec


def test_exit_codes_that_a_retry_cannot_change_end_it_at_once(spec: dict[str, Any], container: dict[str, Any]) -> None:
    rule = spec["podFailurePolicy"]["rules"][0]
    assert rule["action"] == "FailJob"
    assert rule["onExitCodes"] == {"containerName": container["name"], "operator": "In", "values": [2, 3, 4, 5]}


def test_a_disruption_does_not_count(spec: dict[str, Any]) -> None:
    assert {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]} in spec["podFailurePolicy"]["rules"]


def test_no_second_pod_starts_beside_the_first(spec: dict[str, Any], pod: dict[str, Any]) -> None:
    assert spec["podReplacementPolicy"] == "Failed"
    assert pod["restartPolicy"] == "Never"
    assert spec.get("parallelism", 1) == 1


def test_the_deadlines_nest(spec: dict[str, Any], container: dict[str, Any]) -> None:
    values = {each["name"]: each.get("value") for each in container["env"]}
    inner = parse_duration(values["HANDOFF_TIMEOUT"]) + parse_duration(values["HANDOFF_LOCK_TIMEOUT"])
    assert spec["activeDeadlineSeconds"] >= 2 * inner


def test_it_knows_its_own_job(container: dict[str, Any]) -> None:
    paths = {
        each["name"]: each["valueFrom"]["fieldRef"]["fieldPath"] for each in container["env"] if "valueFrom" in each
    }
    assert paths["HANDOFF_JOB_NAME"] == "metadata.labels['batch.kubernetes.io/job-name']"
    assert paths["HANDOFF_JOB_UID"] == "metadata.labels['batch.kubernetes.io/controller-uid']"
    assert paths["HANDOFF_NAMESPACE"] == "metadata.namespace"


def test_every_variable_with_a_value_is_a_setting(container: dict[str, Any]) -> None:
    own = {"HANDOFF_JOB_NAME", "HANDOFF_JOB_UID"}
    names = {each["name"] for each in container["env"]} - own
    assert len(from_environment(dict.fromkeys(names, "x"))) == len(names)


def test_services_put_no_variables_beside_the_settings(pod: dict[str, Any]) -> None:
    assert pod["enableServiceLinks"] is False


def test_it_runs_with_a_read_only_root_as_an_ordinary_user(pod: dict[str, Any], container: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
