"""What two components share, and a look at what is left of each."""

from __future__ import annotations

import uuid
from typing import Any

from tests.cluster.cluster import Cluster
from tests.gitops.delivery import Delivery
from tests.gitops.releases import rights_on, with_shared

Object = dict[str, Any]


class SharedPlace:
    """A Namespace and a definition that components have in common."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.name = f"shared-{uuid.uuid4().hex[:8]}"
        self.group = f"{self.name}.example.org"

    def options(self, prefix: str) -> dict[str, Any]:
        """For a delivery: cluster-wide rights under names of its own."""
        return {
            "resources": ["rbac/cluster-wide"],
            "prefix": f"{self.name}-{prefix}-",
            "patches": [rights_on(self.group)],
        }

    def objects(self, component: str) -> list[Object]:
        """A component's manifests."""
        return with_shared(component, self.group, self.name)

    def push(self, delivery: Delivery) -> str:
        """Commits a component's manifests; the commit's id."""
        return delivery.push("v1", self.objects(delivery.component))

    def owners(self) -> set[str]:
        """Which components have something in there."""
        return self.left("configmaps", self.name) | self.left(f"gadgets.{self.group}", self.name)

    def left(self, kinds: str, namespace: str) -> set[str]:
        """The names of all objects of some kinds in a namespace, but for what Kubernetes makes itself."""
        command = ("get", kinds, "-n", namespace, "-o=jsonpath={.items[*].metadata.name}")
        return set(self._cluster.kubectl(*command).stdout.split()) - {"kube-root-ca.crt"}
