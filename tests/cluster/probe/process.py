"""The probe's process, as a context manager for tests and for the demonstration."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tests.cluster.locations import REPOSITORY
from tests.cluster.probe.report import ProbeReport
from tests.cluster.probe.targets import Target


class ProbeError(RuntimeError):
    """The probe could not do its work; the text says why."""


class Probe:
    """Probes `targets` from entering to leaving the block; `report` is there afterwards, or after `stop`.

    Entering returns when every target was read once and all watches stand. Raises ProbeError when a target is
    missing by then.
    """

    def __init__(self, kubeconfig: Path, targets: Iterable[Target]) -> None:
        self._kubeconfig = kubeconfig
        self._targets = list(targets)
        self._directory = tempfile.TemporaryDirectory(prefix="handoff-probe-")
        self._process: subprocess.Popen[str] | None = None
        self._report: ProbeReport | None = None

    @property
    def report(self) -> ProbeReport:
        """What was seen. Raises ProbeError while the probe still runs."""
        if self._report is None:
            raise ProbeError("the probe has not been stopped yet")
        return self._report

    def start(self, *, patience: float = 60.0) -> None:
        """Starts the process; see the class for when this returns."""
        place = Path(self._directory.name)
        (place / "objects.json").write_text(json.dumps([asdict(target) for target in self._targets]))
        options: dict[str, object] = {
            "owner": os.getpid(),
            "kubeconfig": self._kubeconfig.resolve(),
            "objects": place / "objects.json",
            "output": place / "report.json",
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        with (place / "log").open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.cluster.probe", *arguments],
                cwd=REPOSITORY,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            told = self._process.stdout.readline() if selector.select(patience) else ""
        if told.strip() != "probing":
            self._end()
            raise ProbeError((place / "log").read_text().strip() or f"did not start within {patience:g} s")

    def stop(self) -> ProbeReport:
        """Ends the process and returns its report. Raises ProbeError when it had ended by itself."""
        if self._report is None:
            self._end()
            place = Path(self._directory.name)
            try:
                self._report = ProbeReport.from_json(json.loads((place / "report.json").read_text()))
            except OSError as error:
                raise ProbeError(f"no report: {(place / 'log').read_text().strip()}") from error
            self._directory.cleanup()
        return self._report

    def __enter__(self) -> Probe:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            self._end()

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
