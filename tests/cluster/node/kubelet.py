"""The kubelet's configuration and command."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cluster.certificates import Certificates
from tests.cluster.node import cgroups
from tests.cluster.node.addresses import NodeNetwork
from tests.cluster.node.containerd import socket_path

NODE_NAME = "node-0"


def command(program: Path, cluster: Path, network: NodeNetwork, kubeconfig: Path) -> list[str]:
    """The command line, with the configuration written below the cluster's directory."""
    directory = cluster / "node"
    pki = Certificates(cluster / "pki")
    serving = pki.server("kubelet", NODE_NAME, network.node_address)
    (directory / "resolv.conf").write_text("")
    configuration = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": network.node_address,
        "readOnlyPort": 0,
        "tlsCertFile": str(serving.certificate),
        "tlsPrivateKeyFile": str(serving.key),
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": True},
            "x509": {"clientCAFile": str(pki.authority.certificate)},
        },
        "authorization": {"mode": "Webhook"},
        "containerRuntimeEndpoint": f"unix://{socket_path(cluster)}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": cgroups.pod_root(cluster),
        "failCgroupV1": False,
        "failSwapOn": False,
        "enforceNodeAllocatable": ["pods"],
        "oomScoreAdj": 0,
        "makeIPTablesUtilChains": False,
        # A test machine's disk may be nearly full, and nobody pulls an evicted image again.
        "evictionHard": {},
        "imageGCHighThresholdPercent": 100,
        "enableSystemLogHandler": False,
        "podLogsDir": str(directory / "logs"),
        "volumePluginDir": str(directory / "volume-plugins"),
        "resolvConf": str(directory / "resolv.conf"),
    }
    path = directory / "kubelet.json"
    path.write_text(json.dumps(configuration, indent=1))
    return [
        str(program),
        f"--config={path}",
        f"--kubeconfig={kubeconfig}",
        f"--root-dir={directory / 'kubelet'}",
        f"--cert-dir={directory / 'kubelet'}",
        f"--hostname-override={NODE_NAME}",
        f"--node-ip={network.node_address}",
    ]
