"""The hook as a process of its own, the way that a container or a shell runs it.

Signals, exit codes and what is written to stdout are part of what is tested, so nothing here imports the hook.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY

_COMMAND = (sys.executable, "-c", "import sys; from hook.cli import main; sys.exit(main())")
# What a developer's shell, or the pod that the tests run in, has set must not reach the hook.
_FOREIGN = ("HANDOFF_", "KUBE", "PYTHONDONTWRITEBYTECODE")  # the last costs each process a second of compiling


@dataclass(frozen=True, slots=True)
class HookResult:
    """What came of one command. `report` is the JSON result, empty where the process printed none.

    `exit_code` is negative, as in `subprocess`, when a signal ended it.
    """

    exit_code: int
    report: dict[str, Any]
    stdout: str
    stderr: str

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log, decoded."""
        return [json.loads(line) for line in self.stderr.splitlines() if line.startswith("{")]

    def objects(self, name: str) -> list[str]:
        """The objects on one of the report's lists, such as `adopted`."""
        return [entry["object"] for entry in self.report[name]]

    def __str__(self) -> str:
        message = self.report.get("message") or self.stdout
        return f"exit {self.exit_code}: {message}\n{self.stderr[-4000:]}"


class HookProcess:
    """A command that was started. It is killed when the block that started it ends."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], stdin: str | None) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="handoff-process-")
        place = Path(self._directory.name)
        self._stdout, self._stderr, given = place / "stdout", place / "stderr", place / "stdin"
        given.write_text(stdin or "")
        with given.open() as source, self._stdout.open("w") as out, self._stderr.open("w") as err:
            self._process = subprocess.Popen(
                [*_COMMAND, *arguments], cwd=REPOSITORY, env=dict(environment), stdin=source, stdout=out, stderr=err
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Sends a signal; does nothing once it has ended."""
        self._process.send_signal(number)

    def until(self, condition: Callable[[], bool], what: str, *, timeout: float = 60.0) -> None:
        """Returns when `condition` is true. Raises AssertionError naming `what` when the command ends before that,
        or when it takes too long."""
        deadline = time.monotonic() + timeout
        while not condition():
            if not self.running:
                raise AssertionError(f"{what}: the command ended before that with {self.wait()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"{what}: not so after {timeout:g} s; {self._stderr.read_text()[-4000:]}")
            time.sleep(0.05)

    def logged(self, text: str) -> bool:
        """Whether the log says so by now."""
        return text in self._stderr.read_text()

    def wait(self, timeout: float = 120.0) -> HookResult:
        """Returns when it has ended. Raises AssertionError, with its log, when that takes longer than `timeout`."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            log = self._stderr.read_text()[-4000:]
            raise AssertionError(f"the command did not end within {timeout:g} s: {log}") from None
        return read_result(self._process.returncode, self._stdout, self._stderr)

    def close(self) -> None:
        """Kills it if it still runs."""
        self._process.kill()
        self._process.wait()
        self._directory.cleanup()


def read_result(exit_code: int, stdout: Path, stderr: Path) -> HookResult:
    """The result of a process that has ended, from the files that it wrote to."""
    text = stdout.read_text()
    try:
        decoded = json.loads(text)
    except ValueError:
        decoded = {}
    return HookResult(exit_code, decoded if isinstance(decoded, dict) else {}, text, stderr.read_text())


def hook_environment(kubeconfig: Path | None, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without settings for the hook, but for the kubeconfig and what is given."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN)}
    return {**own, "KUBECONFIG": str(kubeconfig or REPOSITORY / "no-such-kubeconfig"), **(more or {})}


@contextlib.contextmanager
def handoff(
    cluster: Cluster | None,
    *arguments: object,
    kubeconfig: Path | None = None,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[HookProcess]:
    """Starts `handoff ARGUMENTS`, with JSON result and JSON log, against `cluster` or what `kubeconfig` names.

    Without either, the hook finds no cluster. Arguments that are paths are made text.
    """
    named = kubeconfig or (cluster.kubeconfig if cluster is not None else None)
    output = ("--output", "json", "--log-format", "json")
    process = HookProcess([str(a) for a in (*arguments, *output)], hook_environment(named, environment), stdin)
    try:
        yield process
    finally:
        process.close()


def run_handoff(
    cluster: Cluster | None,
    *arguments: object,
    kubeconfig: Path | None = None,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float = 240.0,
) -> HookResult:
    """Runs `handoff ARGUMENTS` to its end; see `handoff`."""
    with handoff(cluster, *arguments, kubeconfig=kubeconfig, stdin=stdin, environment=environment) as process:
        return process.wait(timeout)
