"""How much memory, how many threads and how long a handoff of many objects takes: `python -m benchmarks.bounds`.

One component of so many ConfigMaps is installed, run again, upgraded (all of them change, a tenth goes), and removed.
The figures are those of the hook's own process, from the kernel: the most memory that was resident, and the most
threads at a time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.cluster import Cluster, start_cluster
from tests.hook_process import HookProcess, handoff

_PAUSE = 0.05  # seconds between two looks


@dataclass(slots=True)
class Figures:
    """Of one process: memory in MiB."""

    memory: float = 0.0
    threads: int = 0

    def look(self, process: HookProcess) -> None:
        """Takes note of how it stands now."""
        with contextlib.suppress(OSError, ValueError):
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
            facts = dict(line.split(":", 1) for line in lines)
            self.memory = max(self.memory, int(facts.get("VmHWM", "0").split()[0]) / 1024)
            self.threads = max(self.threads, int(facts.get("Threads", "0")))


def main() -> None:
    """Prints a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=5000)
    parser.add_argument("--kubeconfig", type=Path, help="use this cluster instead of one of its own")
    options = parser.parse_args()
    with _cluster(options.kubeconfig) as cluster, tempfile.TemporaryDirectory() as place:
        namespace = f"bounds-{uuid.uuid4().hex[:8]}"
        cluster.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
        names = ["--component", "many", "--namespace", namespace, "--timeout", "60m"]
        sources = {version: _write(Path(place), version, options.objects) for version in (1, 2)}
        prune = ["--max-prune", "100%"]
        for title, command in (
            ("install", ["run", "--source", sources[1], *names]),
            ("again", ["run", "--source", sources[1], *names]),
            ("upgrade", ["run", "--source", sources[2], *names, *prune]),
            ("remove", ["remove", *names]),
        ):
            print(_measure(cluster, title, [str(word) for word in command]), flush=True)
        cluster.api.request("DELETE", f"/api/v1/namespaces/{namespace}")


def _measure(cluster: Cluster, title: str, command: list[str]) -> str:
    figures = Figures()
    began = time.monotonic()
    with handoff(cluster, *command) as process:
        while process.running:
            figures.look(process)
            time.sleep(_PAUSE)
        result = process.wait()
    seconds = time.monotonic() - began
    requests = sum(result.report.get("requests", {}).values())
    return (
        f"{title:8} exit {result.exit_code}: {seconds:6.1f} s, {requests:6} requests, "
        f"{figures.memory:5.0f} MiB, {figures.threads:3} threads {result.report.get('message', '')[:300]}"
    )


@contextlib.contextmanager
def _cluster(kubeconfig: Path | None) -> Iterator[Cluster]:
    if kubeconfig:
        yield Cluster(kubeconfig)
    else:
        with start_cluster() as cluster:
            yield cluster


def _write(directory: Path, version: int, count: int) -> Path:
    kept = range(count) if version == 1 else range(count // 10, count)
    items: list[dict[str, Any]] = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"map-{number}", "labels": {"app": "many"}},
            "data": {"version": str(version), "text": "x" * 400},
        }
        for number in kept
    ]
    path = directory / f"v{version}.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


if __name__ == "__main__":
    main()
