from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.fixtures import own_cluster
from tests.cluster.proxy import Proxy
from tests.integration.tekton.operated_component import OperatedComponent, operated_component
from tests.tekton.process import OperatorProcess


@pytest.fixture(scope="package")
def module_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """One for all modules here: each test tidies up after itself, and a start takes longer than most of them."""
    yield from own_cluster(request)


@pytest.fixture
def running_operator(module_cluster: Cluster) -> Iterator[OperatorProcess]:
    with OperatorProcess(module_cluster) as process:
        yield process


@pytest.fixture
def operated(module_cluster: Cluster, running_operator: OperatorProcess, tmp_path: Path) -> Iterator[OperatedComponent]:
    with operated_component(module_cluster, running_operator, tmp_path) as component:
        yield component


@pytest.fixture
def proxy(module_cluster: Cluster) -> Iterator[Proxy]:
    with Proxy(module_cluster.kubeconfig) as proxy:
        yield proxy
