"""Where in the input something stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A file as the user named it, and the line (from 1) on which a document or an object begins."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"
