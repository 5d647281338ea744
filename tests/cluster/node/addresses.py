"""The addresses of a node's network, distinct for all clusters with real nodes on one machine."""

from __future__ import annotations

import fcntl
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.cluster.locations import clusters_directory

_SLOTS = range(16)
_locks: list[IO[str]] = []


@dataclass(frozen=True, slots=True)
class NodeNetwork:
    """Host and node are linked by a pair of devices; pods and Services are reached through the node."""

    slot: int

    @property
    def interface(self) -> str:
        """The host's end of the link."""
        return f"handoff{self.slot}"

    @property
    def host_address(self) -> str:
        """The host as pods see it: what a test serves here can be reached from pods."""
        return f"10.243.{self.slot}.1"

    @property
    def node_address(self) -> str:
        """The node as the host sees it."""
        return f"10.243.{self.slot}.2"

    @property
    def pod_range(self) -> str:
        """Addresses of pods."""
        return f"10.244.{self.slot}.0/24"

    @property
    def service_range(self) -> str:
        """Addresses of Services."""
        return f"10.{96 + self.slot}.0.0/16"

    @property
    def api_address(self) -> str:
        """The address of the Service `default/kubernetes`, the first one of the range."""
        return f"10.{96 + self.slot}.0.1"


def reserve_network() -> NodeNetwork:
    """A network that no other cluster has while this process lives. Raises RuntimeError when all are taken."""
    directory = clusters_directory() / "networks"
    directory.mkdir(exist_ok=True)
    for slot in _SLOTS:
        network = NodeNetwork(slot)
        lock = (directory / str(slot)).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        # The device of a node that was killed goes a moment after its lock.
        if not Path("/sys/class/net", network.interface).exists():
            _locks.append(lock)
            return network
        lock.close()
    raise RuntimeError(f"no free network for a node: {len(_SLOTS)} clusters with real nodes run already")
