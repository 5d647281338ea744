"""The termination message: the last word of a pod, which its status shows."""

from __future__ import annotations

from pathlib import Path

from hook.report.journal import Journal
from hook.report.result import as_text

PATH = Path("/dev/termination-log")
LIMIT = 4096  # bytes; the kubelet keeps no more


def write_termination_message(journal: Journal, path: Path = PATH) -> None:
    """Write what fits of the result; a pod without such a file does without."""
    text = f"{journal.message}\n{as_text(journal)}" if journal.message else as_text(journal)
    data = text.encode()
    if len(data) > LIMIT:
        data = data[: LIMIT - 4].decode(errors="ignore").encode() + b" ..."
    try:
        path.write_bytes(data)
    except OSError:
        return
