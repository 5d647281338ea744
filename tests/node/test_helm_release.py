"""The chart as a release of the real Helm: install, upgrade and uninstall, each ending with its Job."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.charts import CHART
from tests.cluster.cluster import Cluster
from tests.cluster.helm import NoHelm, find_helm
from tests.node.hook_job import HookJob
from tests.node.workload import component

pytestmark = pytest.mark.node

ACTIVE = [("deployment", "active", "True"), ("static", "active", "True")]


class Release:
    """The release `web` of a component."""

    def __init__(self, cluster: Cluster, hook: HookJob, image: str, directory: Path) -> None:
        try:
            self._helm = find_helm()
        except NoHelm as reason:
            pytest.skip(str(reason))
        self._cluster, self._hook, self._directory = cluster, hook, directory
        repository, _, tag = image.partition(":")
        values = {
            "component": hook.component,
            "input": {"existingConfigMap": "release"},
            "image": {"repository": repository, "tag": tag},
            "removal": {"enabled": True},
        }
        (directory / "values.json").write_text(json.dumps(values))

    def bring(self, verb: str, version: str, image: str) -> None:
        """`helm install` or `helm upgrade`, once the ConfigMap holds the version; Helm waits for the Job."""
        data = {"release.yaml": yaml.safe_dump_all(component(version, image))}
        metadata = {"name": "release", "namespace": self._hook.namespace}
        self._cluster.load([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}])
        values = (f"--values={self._directory / 'values.json'}", f"--set=version={version}", "--timeout=3m")
        self.helm(verb, "web", str(CHART), *values)

    def helm(self, *arguments: str) -> None:
        """Raises AssertionError with Helm's words when it fails."""
        environment = {
            **os.environ,
            "KUBECONFIG": str(self._cluster.kubeconfig),
            "HELM_CACHE_HOME": str(self._directory / "cache"),
            "HELM_CONFIG_HOME": str(self._directory / "config"),
            "HELM_DATA_HOME": str(self._directory / "data"),
        }
        command = [self._helm, *arguments, f"--namespace={self._hook.namespace}"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr


def test_a_release_installs_upgrades_and_removes_the_component(
    node_cluster: Cluster, hook: HookJob, hook_image: str, servers: dict[str, str], tmp_path: Path
) -> None:
    release = Release(node_cluster, hook, hook_image, tmp_path)
    release.bring("install", "v1", servers["v1"])
    assert hook.sets() == {"v1": ACTIVE}
    release.bring("upgrade", "v2", servers["v2"])
    assert hook.sets() == {"v2": ACTIVE}
    assert (hook.get("configmap", "only-v1"), bool(hook.get("configmap", "only-v2"))) == ({}, True)
    release.helm("uninstall", "web", "--timeout=3m")
    assert (hook.sets(), hook.get("deployment", "web"), hook.get("serviceaccount", "web-handoff")) == ({}, {}, {})
