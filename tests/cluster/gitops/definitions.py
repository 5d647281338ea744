"""The definitions that a tool brings with it."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until


def install_definitions(cluster: Cluster, directory: Path) -> None:
    """Applies a directory of definitions; returns when all of them are served."""
    files = sorted(path for path in directory.glob("*.yaml") if path.name != "kustomization.yaml")
    named = [f"--filename={path}" for path in files]
    cluster.kubectl("apply", "--server-side", *named)
    # `kubectl wait` fails at a definition that has no conditions yet.
    wait = ("wait", "--for=condition=Established", "--timeout=60s", *named)
    wait_until(lambda: cluster.kubectl(*wait, check=False).returncode == 0, f"{directory} is served", pause=0.3)
