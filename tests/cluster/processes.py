"""Child processes that log to a file and never outlive the process that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def _die_with_parent() -> None:
    """Runs in the child before exec: the kernel kills it when the thread that started it ends, however it ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class ChildProcess:
    """One program, which can be stopped and started again.

    Start it from a thread that lives as long as the process does: the kernel watches that thread.
    """

    def __init__(
        self, name: str, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self._command = list(command)
        self.log = log
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    @property
    def running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts it; a second call while it runs does nothing."""
        if self.running:
            return
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )

    def stop(self, patience: float = 3.0) -> None:
        """Asks it to end, waits `patience` seconds, then kills it; returns when it is gone."""
        process = self._process
        if process is None:
            return
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._process = None

    def kill(self) -> None:
        """Ends it without asking (SIGKILL); returns when it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def complaint(self) -> str:
        """What to tell when it ended by itself: its exit code and the end of its log."""
        code = self._process.returncode if self._process is not None else None
        lines = self.log.read_text(errors="replace").splitlines()[-15:] if self.log.exists() else []
        return "\n  ".join([f"{self.name} ended with code {code}; the end of {self.log}:", *lines])


def wait_until(
    condition: Callable[[], bool],
    what: str,
    *,
    timeout: float = 60.0,
    pause: float = 0.05,
    processes: Sequence[ChildProcess] = (),
) -> None:
    """Returns when `condition` is true. Raises TimeoutError naming `what` after `timeout` seconds, and
    RuntimeError at once when one of `processes` has ended meanwhile."""
    deadline = time.monotonic() + timeout
    while not condition():
        for process in processes:
            if not process.running:
                raise RuntimeError(process.complaint())
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not so after {timeout:g} s")
        time.sleep(pause)
