"""kube-proxy's configuration and command: Services by nftables in the node's own network."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cluster.node.addresses import NodeNetwork
from tests.cluster.node.kubelet import NODE_NAME


def command(program: Path, cluster: Path, network: NodeNetwork, kubeconfig: Path) -> list[str]:
    """The command line, with the configuration written below the cluster's directory."""
    configuration = {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "mode": "nftables",
        "clientConnection": {"kubeconfig": str(kubeconfig)},
        "hostnameOverride": NODE_NAME,
        "clusterCIDR": network.pod_range,
        "oomScoreAdj": 0,
        # Zero leaves the kernel's limits alone: they are the host's.
        "conntrack": {
            "maxPerCore": 0,
            "min": 0,
            "tcpEstablishedTimeout": "0s",
            "tcpCloseWaitTimeout": "0s",
        },
        # A changed Service is in force this soon.
        "nftables": {"minSyncPeriod": "100ms"},
    }
    path = cluster / "node" / "kube-proxy.json"
    path.write_text(json.dumps(configuration, indent=1))
    return [str(program), f"--config={path}"]
