"""A command that is stopped while it still reads its input."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_COMMAND = "import sys; from hook.cli import main; sys.exit(main())"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_still_reads_is_ended_at_once(number: signal.Signals) -> None:
    """As process 1 of a container it would not even be ended by the kernel."""
    arguments = ["run", "--source", "-", "--component", "web", "--output", "json"]
    with subprocess.Popen(
        [sys.executable, "-c", _COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not _handles(process.pid, number):
            assert time.monotonic() < deadline, "no handler"
            time.sleep(0.01)
        process.send_signal(number)
        assert process.wait(30) == 143
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.close()


def _handles(pid: int, number: signal.Signals) -> bool:
    """Whether it has a handler of its own for the signal; SIGINT has one of Python's before that, SIGTERM none."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(caught & 1 << (signal.SIGTERM - 1)) and bool(caught & 1 << (number - 1))
