"""The hook as real processes that start at once: forked from one that has imported everything already.

A sweep starts hundreds of runs. Each is a process of its own, with signals and an exit code like any other; only the
half second of imports is shared.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.cluster.locations import REPOSITORY
from tests.hook_process import HookResult, hook_environment, read_result


class Fork:
    """One run. Its result is there after `wait`."""

    def __init__(self, forks: Forks, pid: int, place: Path) -> None:
        self.pid = pid
        self._forks = forks
        self._place = place
        self._ended = os.pidfd_open(pid)
        self._exit_code: int | None = None

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._exit_code is None and not select.select([self._ended], [], [], 0)[0]

    def send(self, number: signal.Signals) -> None:
        """Sends a signal; does nothing once it has ended."""
        if self._exit_code is None:
            signal.pidfd_send_signal(self._ended, number)

    def until(self, condition: Callable[[], bool], *, timeout: float = 60.0) -> bool:
        """Returns True when `condition` holds, and False when the run has ended before.

        Raises AssertionError, with its log, when neither happens in time.
        """
        deadline = time.monotonic() + timeout
        while not condition():
            if not self.running:
                return condition()
            if time.monotonic() > deadline:
                raise AssertionError(f"nothing has come of it in {timeout:g} s: {self._log()}")
            time.sleep(0.005)
        return True

    def wait(self, timeout: float = 120.0) -> HookResult:
        """Returns when it has ended. Raises AssertionError, with its log, when that takes longer than `timeout`."""
        if self._exit_code is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise AssertionError(f"the command did not end within {timeout:g} s: {self._log()}")
            self._exit_code = self._forks.reap(self.pid)
        return read_result(self._exit_code, self._place / "stdout", self._place / "stderr")

    def close(self) -> None:
        """Kills it if it still runs."""
        if self._exit_code is None:
            self.send(signal.SIGKILL)
            self._exit_code = self._forks.reap(self.pid)
        os.close(self._ended)

    def _log(self) -> str:
        return (self._place / "stderr").read_text()[-4000:]


class Forks:
    """The process that the runs are forked from, from entering to leaving the block. For one thread."""

    def __enter__(self) -> Forks:
        self._directory = tempfile.TemporaryDirectory(prefix="handoff-forks-")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.sweeps.forks"],
            cwd=REPOSITORY,
            env=hook_environment(None),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._count = 0
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._directory.cleanup()

    @contextlib.contextmanager
    def start(
        self, kubeconfig: Path, *arguments: object, environment: Mapping[str, str] | None = None
    ) -> Iterator[Fork]:
        """Starts `handoff ARGUMENTS`, with JSON result and JSON log. It is killed when the block ends."""
        self._count += 1
        place = Path(self._directory.name) / str(self._count)
        place.mkdir()
        output = ("--output", "json", "--log-format", "json")
        order = {
            "arguments": [str(each) for each in (*arguments, *output)],
            "environment": hook_environment(kubeconfig, environment),
            "place": str(place),
        }
        fork = Fork(self, self._ask(order), place)
        try:
            yield fork
        finally:
            fork.close()

    def run(self, kubeconfig: Path, *arguments: object, environment: Mapping[str, str] | None = None) -> HookResult:
        """Runs `handoff ARGUMENTS` to its end."""
        with self.start(kubeconfig, *arguments, environment=environment) as fork:
            return fork.wait()

    def reap(self, pid: int) -> int:
        """The exit code of a run that has ended or is about to; negative when a signal ended it."""
        return self._ask({"reap": pid})

    def _ask(self, order: Mapping[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def _serve() -> None:
    import kubernetes.client
    import kubernetes.config  # noqa: F401  imported late by the hook, and slow

    import hook.commands.runs  # noqa: F401  the same
    from hook.cli import main

    for line in sys.stdin:
        order = json.loads(line)
        if "reap" in order:
            _, status = os.waitpid(order["reap"], 0)
            _tell(os.waitstatus_to_exitcode(status))
            continue
        pid = os.fork()
        if pid == 0:
            _become(order, main)
        _tell(pid)


def _tell(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def _become(order: Mapping[str, object], main: Callable[[list[str]], int]) -> None:
    """In the new process: the hook, with files for its output. Does not return."""
    code = 1
    try:
        place = Path(str(order["place"]))
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(place / name, os.O_WRONLY | os.O_CREAT), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.clear()
        os.environ.update(order["environment"])  # type: ignore[call-overload]
        code = main(order["arguments"])  # type: ignore[arg-type]
        sys.stdout.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    _serve()
