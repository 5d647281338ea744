"""Logs: one JSON object a line in a pod, readable text on a terminal; always on stderr."""

from __future__ import annotations

import sys
from typing import Any

import structlog


def configure_log(style: str) -> None:
    """`style` is "json" or "text". Must be called once, before the first line is logged."""
    renderer: Any
    if style == "json":
        renderer = structlog.processors.JSONRenderer(sort_keys=False, ensure_ascii=False)
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        # Looked up at each line: whoever runs commands in one process may redirect stderr in between.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def logger() -> Any:
    return structlog.get_logger("handoff")
