"""Fixtures for tests in which the product's image runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.images.product import product_image
from tests.cluster.images.static_images import server_image
from tests.cluster.locations import REPOSITORY
from tests.node.hook_job import HookJob


@pytest.fixture(scope="session")
def hook_image(node_cluster: Cluster) -> str:
    """The product's image, built from this checkout and brought to the node; the definition of sets is there too."""
    name, archive = product_image()
    node_cluster.import_image(archive)
    node_cluster.load([yaml.safe_load((REPOSITORY / "manifests/crds/installersets.yaml").read_text())])
    return name


@pytest.fixture(scope="session")
def servers(node_cluster: Cluster) -> dict[str, str]:
    """Version to image of the test workload, on the node."""
    images = {}
    for version in ("v1", "v2"):
        images[version], archive = server_image(version)
        node_cluster.import_image(archive)
    return images


@pytest.fixture
def hook(node_cluster: Cluster, hook_image: str, component: str, tmp_path: Path) -> HookJob:
    """A component in a namespace of the same name, where pod security is restricted."""
    return hook_in_new_namespace(node_cluster, component, hook_image, tmp_path)


def hook_in_new_namespace(cluster: Cluster, name: str, image: str, directory: Path) -> HookJob:
    """The component of that name, in a namespace of the same name, where pod security is restricted."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    place = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
    cluster.kubectl("create", "-f", "-", stdin=json.dumps(place))
    return HookJob(cluster, name, name, image, directory)
