"""Free TCP ports on loopback that two clusters, started at once, never both get.

Asking the kernel for "any port" and closing it again leaves a gap in which another process may be given the
same one. So ports come from below the range that the kernel hands out itself, each guarded by a locked file
for as long as its owner lives.
"""

from __future__ import annotations

import fcntl
import random
import socket
from typing import IO

from tests.cluster.locations import clusters_directory

_RANGE = range(20_000, 32_000)


class Ports:
    """Reserves ports for the life of this object's process."""

    def __init__(self) -> None:
        self._locks: list[IO[str]] = []
        self._directory = clusters_directory() / "ports"
        self._directory.mkdir(exist_ok=True)

    def take(self) -> int:
        """One free port. Raises RuntimeError when a hundred tries found none."""
        for port in random.sample(_RANGE, 100):
            lock = (self._directory / str(port)).open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            except OSError:
                lock.close()
                continue
            self._locks.append(lock)
            return port
        raise RuntimeError(f"no free port on 127.0.0.1 between {_RANGE.start} and {_RANGE.stop}")
