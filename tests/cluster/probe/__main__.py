"""`python -m tests.cluster.probe --kubeconfig K --objects FILE.json --output OUT.json`, until SIGTERM or SIGINT.

FILE.json is a list of {"group", "version", "kind", "plural", "namespace", "name"}. Writes `probing` to stdout when
the first full round of reads is done and all watches stand; writes the report when told to stop. Exit code 1 when
something was missing from the start, or cannot be watched.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

from tests.cluster.api import Api
from tests.cluster.probe.connection import Connection
from tests.cluster.probe.reads import Reads
from tests.cluster.probe.report import ProbeReport, ResourceReport
from tests.cluster.probe.targets import Target
from tests.cluster.probe.watches import Watch


def main() -> int:
    """Runs the probe."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.probe", description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--objects", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--owner", type=int, help="end when this is no longer the parent process")
    options = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    resources = [ResourceReport(Target(**entry)) for entry in json.loads(options.objects.read_text())]
    lock = threading.Lock()
    api = Api(options.kubeconfig, connections=64, user_agent="handoff-probe")
    watches = _start_watches(api, resources, lock, stop)
    reads = Reads(Connection(api.server, api.tls, api.authorization), resources, lock)

    began = time.monotonic()
    reads.round(stop)
    missing = [str(r.target) for r in resources if r.reads == 0 or r.misses or r.unserved]
    if missing:
        sys.stderr.write(f"not there at the start: {', '.join(missing)}\n")
        return 1
    late = [watch.collection for watch in watches if not watch.established.wait(30)]
    if late:
        sys.stderr.write(f"no watch could be had for {', '.join(late)}\n")
        return 1
    sys.stdout.write("probing\n")
    sys.stdout.flush()
    while not stop.is_set() and options.owner in (None, os.getppid()):
        reads.round(stop)
    with lock:
        restarts = sum(watch.restarts for watch in watches)
        report = ProbeReport(time.monotonic() - began, restarts, resources)
        options.output.write_text(json.dumps(report.to_json(), indent=1))
    return 0


def _start_watches(
    api: Api, resources: list[ResourceReport], lock: threading.Lock, stop: threading.Event
) -> list[Watch]:
    kinds: dict[str, list[ResourceReport]] = defaultdict(list)
    for resource in resources:
        kinds[resource.target.collection].append(resource)
    watches = [Watch(api, of_kind, lock) for of_kind in kinds.values()]
    for watch in watches:
        # Daemons: a watch that waits for an event does not notice the stop.
        threading.Thread(target=watch.run, args=(stop,), daemon=True).start()
    return watches


if __name__ == "__main__":
    sys.exit(main())
