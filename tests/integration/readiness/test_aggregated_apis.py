"""An aggregated API that never becomes Available holds its own generation back, and nobody else's (B26)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.hook_process import handoff, run_handoff
from tests.integration.scenarios.components import live
from tests.integration.scenarios.objects import config_map, deployment, service
from tests.live_objects import Object

pytestmark = pytest.mark.cluster

API = {
    "apiVersion": "apiregistration.k8s.io/v1",
    "kind": "APIService",
    "metadata": {"name": "v1beta1.stats.example.org"},
    "spec": {
        "group": "stats.example.org",
        "version": "v1beta1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
        "service": {"namespace": "default", "name": "stats", "port": 80},
    },
}


def command(directory: Path, component: str, *objects: Object) -> list[str]:
    source = directory / f"{component}.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return ["run", f"--source={source}", f"--component={component}", "--namespace=default", "--timeout=60s"]


def test_b26_an_api_that_does_not_answer_holds_only_its_own_generation_back(
    fresh_cluster: Cluster, tmp_path: Path
) -> None:
    """Its pods are Ready, and nothing listens there."""
    old = config_map("default", "old")
    assert run_handoff(fresh_cluster, *command(tmp_path, "stats", old)).exit_code == 0
    assert run_handoff(fresh_cluster, *command(tmp_path, "shop", config_map("default", "a"))).exit_code == 0
    dead = (API, service("default", "stats"), deployment("default", "stats"))
    with handoff(fresh_cluster, *command(tmp_path, "stats", *dead)) as process:
        process.until(lambda: process.logged("APIService.apiregistration.k8s.io v1beta1.stats"), "it is waited for")
        shop = run_handoff(fresh_cluster, *command(tmp_path, "shop", config_map("default", "b")))
        assert shop.exit_code == 0, shop
        assert live(fresh_cluster, config_map("default", "a")) is None
        stats = process.wait()
    assert stats.exit_code == 124
    (entry,) = stats.report["waitingFor"]
    assert entry["object"] == "APIService.apiregistration.k8s.io v1beta1.stats.example.org"
    assert "FailedDiscoveryCheck" in entry["reason"]
    assert live(fresh_cluster, old)
