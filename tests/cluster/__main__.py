"""`python -m tests.cluster up [--node real] | down`: this checkout's cluster; and what prepares one."""

from __future__ import annotations

import argparse
import fcntl
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import urllib3

from tests.cluster.binaries import PROGRAMS, find_binaries
from tests.cluster.cluster import Cluster, ClusterError, open_cluster, start_cluster
from tests.cluster.locations import REPOSITORY
from tests.cluster.node.packages import PackagesError, install_packages, missing_for_real_pods
from tests.cluster.simulation import simulate_node
from tests.cluster.toolchain import BuildError

_PLACE = REPOSITORY / ".cluster"


def main() -> int:
    """Runs one command; 0 when done, 1 with a line on stderr when not."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start the cluster, unless it runs; returns when it is ready")
    up.add_argument("--node", choices=["simulated", "real"], default="simulated")
    commands.add_parser("down", help="stop it and remove all of it")
    commands.add_parser("build", help="build all programs into the cache")
    commands.add_parser("install-node-packages", help="install what real pods and images need, with apt-get (root)")
    simulate = commands.add_parser("simulate", help="give an existing cluster the simulated node, until stopped")
    simulate.add_argument("--kubeconfig", type=Path, required=True)
    options = parser.parse_args()
    try:
        if options.command == "build":
            find_binaries(PROGRAMS)
            return 0
        if options.command == "install-node-packages":
            _install()
            return 0
        if options.command == "simulate":
            return simulate_node(options.kubeconfig)
        with _locked():
            return _up(options.node) if options.command == "up" else _down()
    except (ClusterError, BuildError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


def _install() -> None:
    """Without them the tests with real pods are skipped; that is no failure of this command."""
    try:
        install_packages()
    except PackagesError as error:
        sys.stderr.write(f"test cluster: going on without real pods: {error}\n")


def _up(node: str) -> int:
    cluster = _running()
    if cluster is not None and _node(cluster) != node:
        raise ClusterError(f"a cluster with a {_node(cluster)} node is up: `make cluster-down` first")
    reason = missing_for_real_pods() if node == "real" else None
    if reason is not None:
        raise ClusterError(reason)
    if cluster is None:
        cluster = start_cluster(owner=0, node=node)
        assert cluster.directory is not None
        (_PLACE / "directory").write_text(str(cluster.directory))
        shutil.copy(cluster.kubeconfig, _PLACE / "kubeconfig")
    sys.stdout.write(f"{cluster.server} is ready: export KUBECONFIG={_PLACE / 'kubeconfig'}\n")
    return 0


def _down() -> int:
    cluster = _running()
    if cluster is not None:
        cluster.stop()
    for name in ("directory", "kubeconfig"):
        (_PLACE / name).unlink(missing_ok=True)
    return 0


def _running() -> Cluster | None:
    try:
        cluster = open_cluster(Path((_PLACE / "directory").read_text()))
        return cluster if cluster.api.raw("GET", "/readyz").status == 200 else None
    except (OSError, urllib3.exceptions.HTTPError):
        return None


def _node(cluster: Cluster) -> str:
    assert cluster.directory is not None
    return str(json.loads((cluster.directory / "cluster.json").read_text())["node"])


@contextmanager
def _locked() -> Iterator[None]:
    _PLACE.mkdir(exist_ok=True)
    with (_PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
