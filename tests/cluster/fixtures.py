"""pytest fixtures for tests that need a cluster.

`shared_cluster` is one control plane for the whole run, also with xdist: memory for one a worker would do, but two
cores would not carry four idle control planes beside the tests. It belongs to the process that all workers belong
to. `fresh_cluster` is one of its own for one test. `node_cluster` is as the shared one, with real pods.
"""

from __future__ import annotations

import fcntl
import os
import uuid
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster, ClusterError, NotOurCluster, open_cluster, start_cluster
from tests.cluster.node.packages import missing_for_real_pods
from tests.cluster.toolchain import BuildError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--kubeconfig`."""
    parser.addoption(
        "--kubeconfig",
        type=Path,
        default=os.environ.get("HANDOFF_KUBECONFIG"),
        help="use this existing cluster (its current context, as administrator) instead of starting one",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what uses a cluster, so that `-m 'not cluster'` needs none, and what uses real pods."""
    for item in items:
        used = set(getattr(item, "fixturenames", ()))
        if {"shared_cluster", "fresh_cluster", "module_cluster", "node_cluster"} & used:
            item.add_marker("cluster")
        if "node_cluster" in used:
            item.add_marker("node")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests for real pods where there can be none, with the reason."""
    if item.get_closest_marker("node"):
        reason = missing_for_real_pods()
        if reason:
            pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Skips what only a cluster of our own can do, such as stopping its API server, where `--kubeconfig` names one."""
    try:
        return (yield)
    except NotOurCluster as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def shared_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One cluster for all tests that use names of their own."""
    existing: Path | None = request.config.getoption("--kubeconfig")
    if existing is not None:
        yield Cluster(Path(existing))
    else:
        yield from _shared("simulated", tmp_path_factory)


@pytest.fixture(scope="session")
def node_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One cluster with a real node, for all tests that need real pods and use names of their own."""
    if request.config.getoption("--kubeconfig") is not None:
        pytest.skip("images are brought to a node of our own only, and --kubeconfig names an existing cluster")
    yield from _shared("real", tmp_path_factory)


@pytest.fixture
def fresh_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster of its own for one test: fixed namespaces, cluster-scoped names, definitions that stay."""
    yield from own_cluster(request)


@pytest.fixture(scope="module")
def module_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The same for the tests of one module, which look at what one handoff left from several sides.

    With xdist they belong on one worker (`--dist loadfile`): each further one would do all of it once more.
    """
    yield from own_cluster(request)


@pytest.fixture
def namespace(shared_cluster: Cluster) -> Iterator[str]:
    """A new namespace in the shared cluster; its deletion is begun afterwards, not waited for."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    made = shared_cluster.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    assert made.status == 201, made.body
    yield name
    shared_cluster.api.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def component() -> str:
    """A component's name that no other test uses."""
    return f"component-{uuid.uuid4().hex[:8]}"


def _shared(node: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        with _started(node=node) as cluster:
            yield cluster
        return
    # All workers' temporary directories of one run have the same parent, and all workers the same parent process.
    place = tmp_path_factory.getbasetemp().parent / f"shared-cluster-{node}"
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.exists():
            cluster = open_cluster(Path(place.read_text()))
        else:
            cluster = _started(owner=os.getppid(), node=node)
            place.write_text(str(cluster.directory))
    yield cluster


def own_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """For a fixture of whatever scope: a cluster that is nobody else's."""
    if request.config.getoption("--kubeconfig") is not None:
        pytest.skip("needs an empty cluster of its own, and --kubeconfig names an existing one")
    with _started() as cluster:
        yield cluster


def _started(owner: int | None = None, node: str = "simulated") -> Cluster:
    try:
        return start_cluster(owner=owner, node=node)
    except (ClusterError, BuildError) as error:
        pytest.fail(str(error), pytrace=False)
