"""A workload that fails for good ends the run, and the old generation stays whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.hook_process import run_handoff
from tests.integration.component_run import ComponentRun
from tests.integration.small_component import manifests, write

pytestmark = pytest.mark.cluster

NEVER = "pods.test/ready-after"


def test_a_workload_that_fails_for_good_holds_the_retirement_back(
    shared_cluster: Cluster, namespace: str, component: str, tmp_path: Path
) -> None:
    run = ComponentRun(shared_cluster, namespace, component, tmp_path)
    assert run.run(1).exit_code == 0
    before = {name: obj["metadata"]["uid"] for name, obj in run.live(1).items()}
    command = run.command(2)
    hopeless = manifests(2, {NEVER: "never"})
    (deployment,) = [obj for obj in hopeless if obj["kind"] == "Deployment"]
    deployment["spec"]["progressDeadlineSeconds"] = 2
    write(tmp_path, 2, hopeless)

    failed = run_handoff(shared_cluster, *command)

    assert failed.exit_code == 4, str(failed)
    assert "Deployment" in failed.report["message"]
    assert failed.report["retired"] == failed.report["pruned"] == []
    assert {one["spec"]["version"] for one in run.sets() if "retiredBy" not in one["spec"]} == {"v1", "v2"}
    assert {name: obj["metadata"]["uid"] for name, obj in run.live(1).items()} == before
    assert "old" in run.live(1)["ConfigMap settings"]["data"]
