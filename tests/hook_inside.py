"""The hook inside of the test's own process: what many small runs need, for which a process each is too slow.

Whatever is about the process itself (signals, what a kill leaves) takes `tests.hook_process`.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

from hook.cli import main
from tests.hook_process import HookResult

_FOREIGN = ("HANDOFF_", "KUBE")


def run_inside(
    kubeconfig: Path, *arguments: str, environment: Mapping[str, str] | None = None, output: str = "json"
) -> HookResult:
    """Runs `handoff ARGUMENTS` with JSON log. To be called in the main thread, one at a time."""
    out, err = io.StringIO(), io.StringIO()
    style = ("--output", output, "--log-format", "json")
    with (
        _environment({"KUBECONFIG": str(kubeconfig), **(environment or {})}),
        _signals(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = main([*arguments, *style])
    try:
        report = json.loads(out.getvalue())
    except ValueError:
        report = {}
    return HookResult(code, report, out.getvalue(), err.getvalue())


@contextlib.contextmanager
def _environment(given: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        del os.environ[name]
    os.environ.update(given)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """A run takes SIGTERM and SIGINT for itself."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
