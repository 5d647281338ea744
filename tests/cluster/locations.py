"""Where the test kit keeps its things: the cache of binaries, and the directories of running clusters."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# The one version that `gomod/go.mod` builds; an assets directory or PATH has to offer the same minor version.
KUBERNETES_VERSION = "v1.36.3"
KWOK_VERSION = "v0.8.0"


def cache_directory() -> Path:
    """The cache that outlives checkouts: HANDOFF_CACHE, else the XDG cache directory's `handoff`."""
    named = os.environ.get("HANDOFF_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handoff"


def clusters_directory() -> Path:
    """The parent of all running clusters' directories of this user; made when missing, readable by no one else."""
    directory = Path(tempfile.gettempdir()) / f"handoff-clusters-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    return directory
