"""What the scenarios share: components with names of their own, each behind a proxy."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy
from tests.integration.scenarios.components import Component
from tests.live_objects import Object

MakeComponent = Callable[..., Component]


@pytest.fixture
def make_component(shared_cluster: Cluster, namespace: str, tmp_path: Path) -> Iterator[MakeComponent]:
    """Makes components whose sets live in the test's namespace; keywords are variables of their environment."""
    with contextlib.ExitStack() as stack:

        def make(name: str = "shop", **environment: str) -> Component:
            proxy = stack.enter_context(Proxy(shared_cluster.kubeconfig))
            unique = f"{name}-{uuid.uuid4().hex[:8]}"
            return Component(shared_cluster, unique, namespace, tmp_path, proxy, environment)

        yield make


@pytest.fixture
def shop(make_component: MakeComponent) -> Component:
    """One component."""
    return make_component()


@pytest.fixture
def group() -> str:
    """An API group that no other test uses."""
    return f"g{uuid.uuid4().hex[:8]}.example.org"


@pytest.fixture
def in_cluster(shared_cluster: Cluster) -> Iterator[Callable[..., None]]:
    """Loads cluster-scoped objects, and deletes them afterwards."""
    loaded: list[Object] = []

    def load(*objects: Object) -> None:
        loaded.extend(objects)
        shared_cluster.load(objects)

    yield load
    for obj in reversed(loaded):
        name = f"{obj['kind'].lower()}/{obj['metadata']['name']}"
        shared_cluster.kubectl("delete", "--wait=false", "--ignore-not-found", name, check=False)
