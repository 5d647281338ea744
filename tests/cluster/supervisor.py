"""The process that owns one cluster's processes: `python -m tests.cluster.supervisor DIRECTORY [--owner PID] ...`.

It ends, and takes the whole cluster and its directory with it, on SIGTERM, on `down` over its socket, and when
the owner's process is gone, however that ended. Should it be killed itself, the kernel kills its children
(`processes.py`) and the next start sweeps the directory (`directories.py`).

One request a connection to `control.sock`, one line: `stop NAME`, `start NAME`, `kill NAME`, `pids`, `down`; the
answer is one line of JSON: {"ok": true, ...} or {"ok": false, "error": "..."}.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from tests.cluster import binaries
from tests.cluster.control_plane import ControlPlane
from tests.cluster.directories import held
from tests.cluster.node.addresses import reserve_network
from tests.cluster.ports import Ports


def main() -> int:
    """Runs until told to end; exit code 1 with `failure` in the directory when the cluster did not start."""
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--owner", type=int)
    parser.add_argument("--node", choices=["simulated", "real"], default="simulated")
    options = parser.parse_args()
    directory: Path = options.directory
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with held(directory):
        cluster: ControlPlane | None = None
        try:
            owner = os.pidfd_open(options.owner) if options.owner else None
            cluster = _start(directory, real_node=options.node == "real")
            _serve(directory, cluster, owner)
        except Exception as error:
            _tell(f"failed: {error}")
            (directory / "failure").write_text(str(error))
            return 1
        finally:
            # A second signal must not cut the cleaning short.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if cluster is not None:
                cluster.stop()
        shutil.rmtree(directory, ignore_errors=True)
    return 0


def _start(directory: Path, *, real_node: bool) -> ControlPlane:
    began = time.monotonic()
    names = [*binaries.CONTROL_PLANE, *(binaries.REAL_NODE if real_node else binaries.SIMULATED_NODE)]
    found = binaries.find_binaries(names)
    network = reserve_network() if real_node else None
    cluster = ControlPlane(directory, found, Ports(), network)
    try:
        cluster.start(_tell)
    except BaseException:
        cluster.stop()
        raise
    facts = {
        "server": cluster.server,
        "kubeconfig": str(cluster.kubeconfig),
        "kubectl": str(found.path("kubectl")),
        "node": "real" if real_node else "simulated",
        "node_name": cluster.node_name,
        "host_address": network.host_address if network else "127.0.0.1",
        "supervisor": os.getpid(),
        "seconds": round(time.monotonic() - began, 1),
    }
    unfinished = directory / "cluster.json.new"
    unfinished.write_text(json.dumps(facts, indent=1))
    unfinished.replace(directory / "cluster.json")
    _tell(f"ready after {facts['seconds']} s")
    return cluster


def _serve(directory: Path, cluster: ControlPlane, owner: int | None) -> None:
    with selectors.DefaultSelector() as selector, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(directory / "control.sock"))
        listener.listen()
        selector.register(listener, selectors.EVENT_READ)
        if owner is not None:
            # A pidfd becomes readable when the process ends.
            selector.register(owner, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not listener:
                    _tell("the owner is gone")
                    return
                connection, _ = listener.accept()
                with connection:
                    connection.settimeout(5)
                    words = connection.makefile().readline().split()
                    if words == ["down"]:
                        # The asker sees the end of the connection when all is gone.
                        connection.settimeout(None)
                        cluster.stop()
                        shutil.rmtree(directory, ignore_errors=True)
                        connection.sendall(b'{"ok": true}\n')
                        return
                    connection.sendall(json.dumps(_obey(cluster, words)).encode() + b"\n")


def _obey(cluster: ControlPlane, words: list[str]) -> dict[str, Any]:
    match words:
        case ["pids"]:
            return {"ok": True, "pids": {name: p.pid for name, p in cluster.processes.items()}}
        case ["stop" | "start" | "kill" as verb, name] if name in cluster.processes:
            process = cluster.processes[name]
            try:
                if verb == "start":
                    process.start()
                    if name == "kube-apiserver":
                        cluster.wait_for_api_server()
                        cluster.renew_clients()
                elif verb == "stop":
                    process.stop()
                else:
                    process.kill()
            except (RuntimeError, TimeoutError) as error:
                return {"ok": False, "error": str(error)}
            return {"ok": True}
    return {"ok": False, "error": f"not understood: {words}; known: {', '.join(cluster.processes)}"}


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _tell(line: str) -> None:
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")


if __name__ == "__main__":
    sys.exit(main())
