"""The operator's processes in a test: started, killed, started again."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY
from tests.cluster.processes import ChildProcess, wait_until
from tests.tekton.definitions import DEFINITIONS
from tests.tekton.sets import live

STARTED = "knows the cluster"
Object = dict[str, Any]


class OperatorProcess:
    """The set reconciler. The block installs the definitions and starts it; it is gone when the block ends.

    `delay` makes it slow to begin with a set, `pace` makes each pass long (seconds before each of its writes).
    """

    def __init__(
        self, cluster: Cluster, *, delay: float = 0.0, pace: float = 0.0, kubeconfig: Path | None = None
    ) -> None:
        self._cluster = cluster
        self._directory = tempfile.TemporaryDirectory(prefix="handoff-operator-")
        self.log = Path(self._directory.name) / "log"
        self._kubeconfig = kubeconfig or cluster.kubeconfig
        self._process = self._prepared(f"--delay={delay}", f"--pace={pace}")

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process.running

    def start(self) -> None:
        """Returns when it watches and has begun with what is there; a second call does nothing.

        Raises RuntimeError with the end of its log when it ends instead.
        """
        if self.running:
            return
        before = self._starts()
        self._process.start()
        wait_until(lambda: self._starts() > before, "the operator knows the cluster", processes=[self._process])

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        self._process.kill()

    def stop(self) -> None:
        """SIGTERM; returns when it is gone, in the middle of whatever it did."""
        self._process.stop()

    def restart(self, *, delay: float | None = None, pace: float | None = None) -> None:
        """Kills it if it runs, and starts it, with another `delay` or `pace` where given."""
        self.kill()
        if delay is not None or pace is not None:
            self._process = self._prepared(f"--delay={delay or 0.0}", f"--pace={pace or 0.0}")
        self.start()

    def idle(self, seconds: float = 1.0) -> bool:
        """Whether it has done nothing for so long; a pass may still be due, ten seconds after an earlier one."""
        return time.time() - self.log.stat().st_mtime > seconds

    def until_idle(self, seconds: float = 1.0, *, timeout: float = 40.0) -> None:
        """Returns when it has done nothing for so long: what now happens to a set is the doing of what wakes it."""
        wait_until(lambda: self.idle(seconds), "the operator is idle", timeout=timeout)

    def passes(self, key: str) -> int:
        """How many passes it has finished for a key: a set's name, or with the namespace of a dependent, `NS/NAME`."""
        return self.log.read_text().count(f": finished {key}\n")

    def __enter__(self) -> Self:
        if any(live(self._cluster.api, definition) is None for definition in DEFINITIONS):
            self._cluster.load(DEFINITIONS)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._directory.cleanup()

    def _prepared(self, *arguments: str) -> ChildProcess:
        command = [sys.executable, "-m", "tests.tekton", f"--kubeconfig={self._kubeconfig}", *arguments]
        return ChildProcess("tekton-operator", command, self.log, {"PYTHONPATH": str(REPOSITORY)})

    def _starts(self) -> int:
        return self.log.read_text().count(STARTED) if self.log.exists() else 0


class LifecycleProcess(OperatorProcess):
    """The component's reconciler, as the operator of `version` that brings `manifests`."""

    def __init__(self, cluster: Cluster, version: str, manifests: Sequence[Object]) -> None:
        super().__init__(cluster)
        brought = self.log.with_name("manifests.json")
        brought.write_text(json.dumps(list(manifests)))
        self._process = self._prepared(f"--lifecycle={version}", f"--manifests={brought}")
