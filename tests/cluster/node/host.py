"""The real node as its host sees it: one process to start and to kill, and what to do before and after."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.cluster.api import Api
from tests.cluster.binaries import REAL_NODE, Binaries
from tests.cluster.node import cgroups
from tests.cluster.node.addresses import NodeNetwork
from tests.cluster.node.kubelet import NODE_NAME
from tests.cluster.node.network import api_endpoints
from tests.cluster.processes import ChildProcess

# The kernel kills the namespace's first process with `unshare`, and everything in it with that.
_OWN_NAMESPACES = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


class RealNode:
    """Kill `process` and then `clean`, and nothing of the node is left."""

    name = NODE_NAME

    def __init__(self, cluster: Path, binaries: Binaries, network: NodeNetwork, port: int) -> None:
        self._cluster, self._network, self._port = cluster, network, port
        facts = {"cluster": str(cluster), "slot": network.slot, "port": port}
        facts |= {name: str(binaries.path(name)) for name in REAL_NODE}
        (cluster / "node").mkdir(mode=0o700, exist_ok=True)
        place = cluster / "node" / "facts.json"
        place.write_text(json.dumps(facts, indent=1))
        command = [*_OWN_NAMESPACES, sys.executable, "-m", "tests.cluster.node", str(place)]
        self.process = ChildProcess("node", command, cluster / "node.log")

    def publish_api_server(self, api: Api) -> None:
        """Makes `default/kubernetes` lead to the API server, as in any cluster. Raises RuntimeError."""
        path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
        made = api.request("POST", path, api_endpoints(self._network, self._port))
        if made.status not in (201, 409):
            raise RuntimeError(f"the endpoints of default/kubernetes were refused: {made.body.get('message')}")

    def clean(self) -> None:
        """Removes the control groups of its pods once their processes are gone."""
        cgroups.remove(self._cluster)
