"""The control groups below which a node's pods run, one root a cluster, on cgroup v1, v2 or both.

They are all that a node leaves behind when its processes are gone: no namespace hides them from the host.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")
_PREFIX = "handoff-"


def pod_root(cluster: Path) -> str:
    """The name of the root for the cluster of that directory, as the kubelet's `cgroupRoot` wants it."""
    return f"/{_PREFIX}{cluster.name}"


def create(cluster: Path) -> None:
    """Makes the root in every hierarchy."""
    for root in _roots(cluster):
        root.mkdir(exist_ok=True)
        for name in ("cpuset.cpus", "cpuset.mems"):
            # In v1 a new group has no processors and no memory until it is told so.
            own, parent = root / name, root.parent / name
            if own.exists() and parent.exists() and not own.read_text().strip():
                own.write_text(parent.read_text())


def remove(cluster: Path, *, patience: float = 10.0) -> None:
    """Removes the root and all below it, waiting up to `patience` seconds until killed processes have left.

    What is still in use then stays; the next start tries again.
    """
    deadline = time.monotonic() + patience
    left = [root for root in _roots(cluster) if not _removed(root)]
    while left and time.monotonic() < deadline:
        time.sleep(0.05)
        left = [root for root in left if not _removed(root)]


def _roots(cluster: Path) -> Iterator[Path]:
    if (_MOUNT / "cgroup.controllers").exists():
        hierarchies = [_MOUNT]
    else:
        # cgroup v1, or hybrid: one directory a hierarchy; links are second names of one.
        hierarchies = [path for path in _MOUNT.glob("*") if path.is_dir() and not path.is_symlink()]
    for hierarchy in hierarchies:
        yield hierarchy / pod_root(cluster)[1:]


def _removed(root: Path) -> bool:
    for directory, _, _ in os.walk(root, topdown=False):
        with contextlib.suppress(OSError):
            Path(directory).rmdir()
    return not root.exists()
