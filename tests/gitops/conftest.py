"""Fixtures for tests in which a GitOps tool delivers the hook: a cluster with real pods, and the tools' controllers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.cluster.cluster import Cluster
from tests.cluster.gitops import programs
from tests.cluster.gitops.argocd import ArgoCD
from tests.cluster.gitops.flux import Flux
from tests.cluster.gitops.repositories import Repositories, serve
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.delivery import Delivery
from tests.gitops.flux_component import FluxComponent
from tests.node.conftest import hook_image, servers
from tests.node.hook_job import HookJob

__all__ = ["hook_image", "servers"]

NewFluxComponent = Callable[..., FluxComponent]
NewArgoApplication = Callable[..., ArgoApplication]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks all of them `gitops`."""
    item.add_marker("gitops")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """With `--dist loadgroup`, the tests of one tool are a group, since there is one set of its controllers.

    Its own groups, by marks, xdist does not see with pytest 9.2.
    """
    return _ByTool(config, log) if config.getoption("dist") == "loadgroup" else None


class _ByTool(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return next((tool for tool in programs.TOOLS if f"/test_{tool}_" in nodeid), nodeid)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what needs controllers that were not built: that takes minutes, and has a command of its own."""
    for tool in programs.TOOLS:
        if tool in getattr(item, "fixturenames", ()):
            reason = programs.missing(tool)
            if reason:
                pytest.skip(reason)


@pytest.fixture(scope="session")
def repositories(node_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repositories]:
    """A Git server that only this machine and the cluster's pods reach."""
    with serve(tmp_path_factory.mktemp("git"), node_cluster.host_address) as served:
        yield served


@pytest.fixture(scope="session")
def flux(node_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flux]:
    """Flux's controllers beside the cluster."""
    controllers = Flux(node_cluster, tmp_path_factory.mktemp("flux"))
    try:
        controllers.start()
        yield controllers
    finally:
        controllers.stop()


@pytest.fixture(scope="session")
def argocd(node_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArgoCD]:
    """Argo CD's controllers beside the cluster."""
    controllers = ArgoCD(node_cluster, tmp_path_factory.mktemp("argocd"))
    try:
        controllers.start()
        yield controllers
    finally:
        controllers.stop()


@pytest.fixture
def new_delivery(
    node_cluster: Cluster, repositories: Repositories, hook_image: str, tmp_path: Path
) -> Callable[..., tuple[Delivery, HookJob]]:
    """Makes what a tool is to deliver, by the name of its base; and how the component is doing."""

    def make(base: str, **options: Any) -> tuple[Delivery, HookJob]:
        name = f"component-{uuid.uuid4().hex[:8]}"
        delivery = Delivery(repositories.new(name), base, name, name, hook_image, **options)
        return delivery, HookJob(node_cluster, name, name, hook_image, tmp_path)

    return make


@pytest.fixture
def new_flux_component(
    node_cluster: Cluster, flux: Flux, new_delivery: Callable[..., tuple[Delivery, HookJob]]
) -> NewFluxComponent:
    """Makes components for Flux, each in a namespace of its own where pod security is restricted."""

    def make(**options: Any) -> FluxComponent:
        delivery, live = new_delivery("flux", **options)
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": delivery.namespace, "labels": labels}}
        node_cluster.kubectl("create", "-f", "-", stdin=json.dumps(place))
        return FluxComponent(node_cluster, delivery, live)

    return make


@pytest.fixture
def new_argo_application(
    node_cluster: Cluster, argocd: ArgoCD, new_delivery: Callable[..., tuple[Delivery, HookJob]]
) -> NewArgoApplication:
    """Makes components for Argo CD, each in a namespace of its own, which Argo CD creates."""

    def make(base: str = "argocd", **options: Any) -> ArgoApplication:
        return ArgoApplication(node_cluster, *new_delivery(base, **options))

    return make
