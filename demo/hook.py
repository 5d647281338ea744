"""`handoff` as a process of its own, its log told line by line while it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from demo.page import Page
from demo.shop import NAME, Version

_TOLD = ("created", "changed", "retired", "pruned", "kept", "incomplete", "warnings")


class Handoff:
    """Runs commands on one cluster and shows them on a page."""

    def __init__(self, page: Page, kubeconfig: Path) -> None:
        self._page = page
        own = {name: value for name, value in os.environ.items() if not name.startswith("HANDOFF_")}
        self._environment = {**own, "KUBECONFIG": str(kubeconfig)}
        self._began = 0.0  # when the first line was told
        self._told = ""

    def run(self, version: Version, *, tell: bool, on_wait: Callable[[], None] = lambda: None) -> int:
        """Hands the shop over to a version; returns the exit code.

        With `tell`, every line of the log is shown as it comes. `on_wait` is called once, when the run has begun to
        wait for pods.
        """
        shown = version.source.relative_to(version.source.parents[2])
        given = ("--version", version.name, "--component", NAME, "--namespace", NAME)
        self._page.command(f"handoff run --source {shown} {' '.join(given)}")
        arguments = ("run", "--source", str(version.source), *given, "--log-format", "json")
        waited = False
        with subprocess.Popen(self._line(*arguments), env=self._environment, **_PIPES) as process:
            assert process.stderr is not None
            assert process.stdout is not None
            for line in process.stderr:
                event = _decoded(line)
                if tell:
                    self._tell(event)
                if not waited and event.get("event") == "waiting" and " pods are " in event["for"]:
                    waited = True
                    on_wait()
            self._page.quote(process.stdout.read())
        return process.returncode

    def status(self) -> None:
        """Shows the sets."""
        arguments = ("status", "--component", NAME, "--namespace", NAME)
        self._page.command(f"handoff {' '.join(arguments)}")
        done = subprocess.run(self._line(*arguments), env=self._environment, capture_output=True, text=True)
        self._page.quote(done.stdout + done.stderr)

    def _tell(self, event: dict[str, Any]) -> None:
        what = event.get("event")
        if what == "phase":
            line = str(event["phase"])
        elif what == "waiting":
            reasons = [each for each in event["for"].split("; ") if not each.endswith("not read yet")]
            line = f"  waiting for {'; '.join(reasons)}" if reasons else ""
        elif what == "carried":
            line = f"  carried along in {event['object']}: {event['why']}"
        elif what in _TOLD:
            line = f"  {what} {event['object']}"
        else:
            return
        if line and line != self._told:
            self._began = self._began or time.monotonic()
            self._page.quote(f"{time.monotonic() - self._began:5.1f} s  {line}")
            self._told = line

    @staticmethod
    def _line(*arguments: str) -> list[str]:
        return [str(Path(sys.executable).with_name("handoff")), *arguments]


_PIPES: dict[str, Any] = {
    "stdin": subprocess.DEVNULL,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.PIPE,
    "text": True,
}


def _decoded(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
