"""Flux's source-controller and kustomize-controller beside a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import urllib3

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.definitions import install_definitions
from tests.cluster.gitops.programs import TOOLS
from tests.cluster.ports import Ports
from tests.cluster.processes import ChildProcess, wait_until

NAMESPACE = "flux-system"

# Newer commits end the wait for the health of older ones.
CANCEL_ON_NEW_REVISION = "--feature-gates=CancelHealthCheckOnNewRevision=true"


class Flux:
    """Both controllers, as the cluster's administrator; everything of theirs is below `directory`."""

    def __init__(self, cluster: Cluster, directory: Path) -> None:
        self._cluster = cluster
        self._directory = directory
        self._ports = Ports()
        self._reconciler, self._source = (controller.program.cached for controller in TOOLS["flux"])
        self._processes: dict[str, ChildProcess] = {}

    def start(self) -> None:
        """Installs the definitions and starts both; returns when they are ready."""
        for controller in TOOLS["flux"]:
            install_definitions(self._cluster, controller.directory / "config/crd/bases")
        self._cluster.kubectl("create", "namespace", NAMESPACE)
        # An address that pods reach too: a hook may fetch an artifact itself.
        storage = f"{self._cluster.host_address}:{self._ports.take()}"
        place = self._directory / "storage"
        place.mkdir(parents=True)
        self._start(
            self._source,
            [f"--storage-path={place}", f"--storage-addr={storage}", f"--storage-adv-addr={storage}"],
        )
        self.start_reconciler()

    def start_reconciler(self, *options: str) -> None:
        """Starts kustomize-controller (anew, if it runs) with further options."""
        self._start(self._reconciler, ["--requeue-dependency=2s", *options])

    def stop(self) -> None:
        """Ends both."""
        for process in self._processes.values():
            process.stop()

    def _start(self, program: Path, options: Sequence[str]) -> None:
        name, health = program.name, f"127.0.0.1:{self._ports.take()}"
        if name in self._processes:
            self._processes.pop(name).stop()
        home = self._directory / name
        home.mkdir(exist_ok=True)
        command = [
            *(str(program), *options, f"--health-addr={health}", f"--metrics-addr=127.0.0.1:{self._ports.take()}"),
            *("--watch-all-namespaces=true", "--enable-leader-election=false", "--events-addr="),
            *("--log-encoding=console", "--interval-jitter-percentage=0"),
        ]
        environment = {
            "KUBECONFIG": str(self._cluster.kubeconfig),
            "RUNTIME_NAMESPACE": NAMESPACE,
            "HOME": str(home),
            "TMPDIR": str(home),
        }
        process = ChildProcess(name, command, self._directory / f"{name}.log", environment)
        process.start()
        self._processes[name] = process
        wait_until(lambda: _ready(health), f"{name} is ready", timeout=120, processes=[process])


def _ready(address: str) -> bool:
    try:
        return urllib3.request("GET", f"http://{address}/readyz", timeout=5.0, retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False
