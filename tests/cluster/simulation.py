"""A simulated node in a cluster that we did not start, such as one of kind: what tests deploy has no images."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.cluster import simulator
from tests.cluster.api import Api
from tests.cluster.binaries import SIMULATED_NODE, find_binaries
from tests.cluster.cluster import ClusterError


def simulate_node(kubeconfig: Path) -> int:
    """Adds the node and keeps it alive until SIGTERM; returns kwok's exit code should that end by itself.

    Raises ClusterError when the node is refused. Pods go there for certain when the other nodes are cordoned.
    """
    (name,) = SIMULATED_NODE
    program = find_binaries(SIMULATED_NODE).path(name)
    made = Api(kubeconfig).request("POST", "/api/v1/nodes", simulator.node())
    if made.status not in (201, 409):
        raise ClusterError(f"the simulated node was refused: {made.body.get('message')}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="handoff-kwok-") as directory:
        configuration = simulator.write_configuration(Path(directory) / "kwok.yaml")
        return subprocess.call(simulator.command(program, kubeconfig, configuration))
