"""What all of these need: one component in a namespace of its own, and a proxy before the API server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy
from tests.integration.component_run import ComponentRun
from tests.integration.convergence.jobs import Jobs


@pytest.fixture
def run(shared_cluster: Cluster, namespace: str, component: str, tmp_path: Path) -> ComponentRun:
    return ComponentRun(shared_cluster, namespace, component, tmp_path)


@pytest.fixture
def proxy(shared_cluster: Cluster) -> Iterator[Proxy]:
    with Proxy(shared_cluster.kubeconfig) as proxy:
        yield proxy


@pytest.fixture
def jobs(shared_cluster: Cluster, namespace: str, tmp_path: Path) -> Jobs:
    return Jobs(shared_cluster, namespace, tmp_path)
