"""Memory of a wait, over an hour of it: `python -m benchmarks.wait_memory`.

A scripted server tells of 20 Deployments, each of which changes once a second, ends its watches every 55 s as API
servers do, and has forgotten the watch's place every ten minutes. The hour is compressed: nothing pauses.
"""

from __future__ import annotations

import gc
import sys
import time
from pathlib import Path

import structlog

from tests.unit.handoff.waiting_room import WaitingRoom

MINUTES = 60
DEPLOYMENTS = 20
ALLOWED = 2.0  # MiB between the tenth minute and the last
_TOO_OLD = {"kind": "Status", "status": "Failure", "code": 410, "reason": "Expired", "message": "too old"}


def main() -> int:
    """Prints the figures; 1 when memory has grown."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    names = [f"web-{number}" for number in range(DEPLOYMENTS)]
    room = WaitingRoom(*names, timeout=3600.0)
    sizes: list[float] = []
    began = time.monotonic()
    with room.waiting():
        room.until_watched()
        for second in range(MINUTES * 60):
            for name in names:
                told = [{"type": "Progressing", "status": "True", "message": f"at second {second}, " + "x" * 500}]
                room.put(name, ready=False, conditions=told)
            if second % 600 == 599:
                room.end_streams({"type": "ERROR", "object": _TOO_OLD})
            elif second % 55 == 54:
                room.end_streams()
            room.until_read()
            if second % 60 == 59:
                room.server.requests.clear()
                gc.collect()
                sizes.append(_resident())
        for name in names:
            room.put(name, ready=True)
        room.end(30.0)
    minutes = sorted({9, MINUTES // 4, MINUTES // 2, 3 * MINUTES // 4, MINUTES - 1})
    spent = time.monotonic() - began
    sys.stdout.write(f"{MINUTES} minutes, {MINUTES * 60 * DEPLOYMENTS} events, {room.lists} LISTs, in {spent:.0f} s\n")
    for minute in minutes:
        sys.stdout.write(f"after {minute + 1:3} minutes: {sizes[minute]:6.1f} MiB\n")
    growth = sizes[-1] - sizes[9]
    sys.stdout.write(f"growth since the tenth minute: {growth:.1f} MiB (allowed: {ALLOWED:g})\n")
    return 1 if growth > ALLOWED else 0


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    sys.exit(main())
