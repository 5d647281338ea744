"""The first process of a node: `python -m tests.cluster.node FACTS.json`, run by the supervisor in new mount and
process namespaces. It stays in the host's network, where it makes the link; the rest runs in the node's.

It ends when one of the node's processes does, and with it everything in the process namespace.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from tests.cluster.certificates import Certificates
from tests.cluster.images.static_images import pause_image
from tests.cluster.kubeconfigs import write_kubeconfig
from tests.cluster.node import cgroups, containerd, kubelet, proxy
from tests.cluster.node.addresses import NodeNetwork
from tests.cluster.node.isolation import isolate
from tests.cluster.node.network import IN_NODE_NETWORK, connect, forwarding
from tests.cluster.processes import ChildProcess, wait_until


def main() -> int:
    """Never returns while all is well."""
    facts = json.loads(Path(sys.argv[1]).read_text())
    cluster, network, port = Path(facts["cluster"]), NodeNetwork(facts["slot"]), int(facts["port"])
    # Programs of a node are in directories that only root's PATH has.
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    isolate(cluster / "node")
    cgroups.create(cluster)
    connect(network)
    configuration = containerd.write_configuration(cluster, network)
    runtime = _process(cluster, "containerd", ["containerd", f"--config={configuration}"])
    runtime.start()
    wait_until(lambda: _answers(cluster), "containerd answers", processes=[runtime])
    containerd.import_image(cluster, pause_image())
    agent = kubelet.command(
        Path(facts["kubelet"]),
        cluster,
        network,
        _kubeconfig(cluster, network, port, f"system:node:{kubelet.NODE_NAME}", "system:nodes"),
    )
    services = proxy.command(
        Path(facts["kube-proxy"]),
        cluster,
        network,
        _kubeconfig(cluster, network, port, "system:kube-proxy", None),
    )
    way = ChildProcess("socat", forwarding(network, port), cluster / "socat.log")
    processes = [runtime, way, _process(cluster, "kubelet", agent), _process(cluster, "kube-proxy", services)]
    for process in processes:
        process.start()
    return _watch(processes)


def _process(cluster: Path, name: str, command: list[str]) -> ChildProcess:
    return ChildProcess(name, [*IN_NODE_NETWORK, *command], cluster / f"{name}.log")


def _answers(cluster: Path) -> bool:
    try:
        containerd.ctr(cluster, "version")
    except RuntimeError:
        return False
    return True


def _kubeconfig(cluster: Path, network: NodeNetwork, port: int, user: str, group: str | None) -> Path:
    pki = Certificates(cluster / "pki")
    return write_kubeconfig(
        cluster / "node" / f"{user.split(':')[1]}.kubeconfig",
        f"https://{network.host_address}:{port}",
        pki.authority.certificate.read_bytes(),
        client=pki.client(user, group),
    )


def _watch(processes: list[ChildProcess]) -> int:
    """Waits for children for ever, those included that the kernel hands to a namespace's first process."""
    own = {process.pid: process for process in processes}
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        if ended is None:
            continue
        if ended.si_pid in own:
            process = own[ended.si_pid]
            assert not process.running
            sys.stderr.write(f"{time.strftime('%H:%M:%S')} {process.complaint()}\n")
            return 1
        os.waitpid(ended.si_pid, 0)


if __name__ == "__main__":
    sys.exit(main())
