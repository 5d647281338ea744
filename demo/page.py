"""What the demonstration writes: numbered headings, and below them what happens, indented."""

from __future__ import annotations

import sys
import textwrap
import time
from dataclasses import dataclass, field

_WIDTH = 110


@dataclass(slots=True)
class Page:
    """Written to stdout as it comes; `seconds` since the first line."""

    _began: float = field(default_factory=time.monotonic)
    _headings: int = 0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def heading(self, text: str) -> None:
        self._headings += 1
        self._write(f"\n{self._headings}. {text}\n")

    def say(self, text: str) -> None:
        """Words of the demonstration itself, wrapped."""
        self._write(textwrap.fill(text, _WIDTH, initial_indent="   ", subsequent_indent="   ") + "\n")

    def quote(self, text: str) -> None:
        """What a program printed, line by line as it is."""
        for line in text.rstrip("\n").split("\n"):
            self._write(f"   | {line}\n")

    def command(self, text: str) -> None:
        """A command line, as a person would type it."""
        self._write(f"   $ {text}\n")

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
