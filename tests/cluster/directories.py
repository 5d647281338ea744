"""Directories of running clusters: made, held with a lock while in use, swept when their holder is gone."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.locations import clusters_directory
from tests.cluster.node import cgroups

_LOCK = "held"
_STARTING = 600.0  # seconds


def new_directory() -> Path:
    """A fresh directory for one cluster; leftovers of clusters whose processes are gone are removed first."""
    sweep()
    return Path(tempfile.mkdtemp(prefix="cluster-", dir=clusters_directory()))


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Marks the directory as in use until the block ends or this process does."""
    with (directory / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def sweep() -> list[Path]:
    """Removes the directories of dead clusters and returns them.

    One that has no lock yet is about to start, unless it has been so for a while.
    """
    swept = []
    for directory in clusters_directory().glob("cluster-*"):
        try:
            mode = "a" if time.time() - directory.stat().st_mtime > _STARTING else "r+"
            with (directory / _LOCK).open(mode) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                cgroups.remove(directory, patience=1.0)
                shutil.rmtree(directory, ignore_errors=True)
                swept.append(directory)
        except OSError:
            continue
    return swept
