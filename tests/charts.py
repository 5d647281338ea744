"""The Helm chart as Helm renders it."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import yaml

from tests.cluster.helm import NoHelm, find_helm
from tests.cluster.locations import REPOSITORY

CHART = REPOSITORY / "manifests" / "chart"
LEAST: dict[str, Any] = {"component": "shop", "input": {"existingConfigMap": "release"}}


def rendered(values: dict[str, Any], *, namespace: str = "shop", release: str = "shop") -> list[dict[str, Any]]:
    """All objects, those of hooks too. Raises AssertionError with Helm's words; skips the test without a Helm."""
    done = _helm("template", release, str(CHART), f"--namespace={namespace}", "--values=-", stdin=json.dumps(values))
    assert done.returncode == 0, done.stderr
    return [item for item in yaml.safe_load_all(done.stdout) if item]


def refused(values: dict[str, Any]) -> str:
    """Why Helm does not render these values."""
    done = _helm("template", "shop", str(CHART), "--values=-", stdin=json.dumps(values))
    assert done.returncode != 0
    return done.stderr


def lint() -> str:
    """What Helm has to say about the chart; raises AssertionError where it is an error."""
    done = _helm("lint", str(CHART), "--strict", "--values=-", stdin=json.dumps(LEAST))
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _helm(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
    try:
        helm = find_helm()
    except NoHelm as reason:
        pytest.skip(str(reason))
    return subprocess.run([helm, *arguments], input=stdin, capture_output=True, text=True)
