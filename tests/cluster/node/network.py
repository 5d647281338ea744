"""The node's network namespace, its link to the host, and the way from pods to the API server."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

from tests.cluster.node.addresses import NodeNetwork

_NAMESPACE = "node"

# Before a command: runs it in the node's network. `ip netns exec` would also hide the control groups.
IN_NODE_NETWORK = ("nsenter", f"--net=/run/netns/{_NAMESPACE}")


def connect(network: NodeNetwork) -> None:
    """Makes the namespace and the link, with routes both ways. It all goes with the last process in it."""
    link, host, node = network.interface, network.host_address, network.node_address
    for command in (
        f"ip netns add {_NAMESPACE}",
        f"ip link add {link} type veth peer name eth0 netns {_NAMESPACE}",
        f"ip address add {host}/30 dev {link}",
        f"ip link set {link} up",
        f"ip -n {_NAMESPACE} link set lo up",
        f"ip -n {_NAMESPACE} address add {node}/30 dev eth0",
        f"ip -n {_NAMESPACE} link set eth0 up",
        f"ip -n {_NAMESPACE} route add default via {host}",
        f"ip route add {network.pod_range} via {node}",
        f"ip route add {network.service_range} via {node}",
    ):
        _run(command.split())
    _run([*IN_NODE_NETWORK, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"])


def forwarding(network: NodeNetwork, port: int) -> list[str]:
    """The command that makes the API server, which listens on the host's loopback only, reachable for pods."""
    return [
        "socat",
        f"TCP-LISTEN:{port},bind={network.host_address},fork,reuseaddr,nodelay",
        f"TCP:127.0.0.1:{port},nodelay",
    ]


def api_endpoints(network: NodeNetwork, port: int) -> dict[str, Any]:
    """The EndpointSlice of the Service `default/kubernetes`."""
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"kubernetes.io/service-name": "kubernetes"},
        },
        "addressType": "IPv4",
        "endpoints": [{"addresses": [network.host_address], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": port, "protocol": "TCP"}],
    }


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
