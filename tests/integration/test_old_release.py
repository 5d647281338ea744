"""Tekton Pipelines v0.24.1, of the time of APIs that are gone, to v0.58.0, which drops three ConfigMaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe
from tests.cluster.proxy import Proxy
from tests.hook_process import run_handoff
from tests.integration.tekton_release import COMPONENT, NAMESPACE, OLD, command, objects, release
from tests.live_objects import read, sets_of

OLDEST = "v0.24.1"
GONE_KINDS = ("PodSecurityPolicy", "HorizontalPodAutoscaler")  # the latter at v2beta1
DROPPED = {
    f"ConfigMap tekton-pipelines/config-{name}" for name in ("artifact-bucket", "artifact-pvc", "leader-election")
}
DEFINITIONS = {f"{name}.tekton.dev" for name in ("conditions", "pipelineresources", "runs")}


def test_kinds_that_are_served_no_more_are_all_named_before_any_write(shared_cluster: Cluster, namespace: str) -> None:
    with Proxy(shared_cluster.kubeconfig) as proxy:
        source = ("--source", release(OLDEST), f"--component={COMPONENT}", f"--namespace={namespace}")
        result = run_handoff(None, "run", *source, kubeconfig=proxy.kubeconfig)
        assert [str(request) for request in proxy.writes] == []
    assert result.exit_code == 3, str(result)
    assert "policy/v1beta1" in result.report["message"]
    assert "autoscaling/v2beta1" in result.report["message"]


def served() -> list[dict[str, Any]]:
    """The release without what no cluster of today can serve."""
    return [item for item in objects(OLDEST) if item["kind"] not in GONE_KINDS]


def test_an_upgrade_over_many_versions_prunes_the_dropped_config_maps_and_keeps_the_definitions(
    fresh_cluster: Cluster, tmp_path: Path
) -> None:
    oldest = served()
    (tmp_path / "release.yaml").write_text(yaml.safe_dump_all(oldest))
    named = (f"--component={COMPONENT}", f"--namespace={NAMESPACE}", "--timeout=3m")
    first = run_handoff(fresh_cluster, "run", "--source", tmp_path, "--version", OLDEST, *named)
    assert first.exit_code == 0, str(first)
    before = read(fresh_cluster.api, oldest)
    with Probe(fresh_cluster.kubeconfig, [target for target in before if str(target) not in DROPPED]) as probe:
        second = run_handoff(fresh_cluster, *command(OLD, "--timeout=3m"))
        assert second.exit_code == 0, str(second)

    assert set(second.objects("pruned")) == DROPPED
    after = read(fresh_cluster.api, oldest)
    assert {str(target) for target in before.keys() - after.keys()} == DROPPED
    assert [str(resource) for resource in probe.report.gone()] == []
    sets = sets_of(fresh_cluster.api, NAMESPACE, COMPONENT)
    assert {entry["name"] for one in sets for entry in one["spec"].get("retained") or []} == DEFINITIONS
    assert {one["spec"]["version"] for one in sets} == {OLD}
