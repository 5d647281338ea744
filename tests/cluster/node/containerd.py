"""containerd with its own directories and socket, and a network plugin that routes instead of bridging."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.cluster.node.addresses import NodeNetwork

PAUSE_IMAGE = "cluster.test/pause:1"

_PLUGINS = ("/usr/lib/cni", "/opt/cni/bin")


def socket_path(cluster: Path) -> Path:
    """Where the containerd of the cluster of that directory listens, for the host too."""
    return cluster / "node" / "containerd.sock"


def import_image(cluster: Path, archive: Path) -> None:
    """Makes the images of an OCI or Docker archive known to the node, under the names that it holds.

    Raises RuntimeError with containerd's words.
    """
    ctr(cluster, "images", "import", str(archive))


def ctr(cluster: Path, *arguments: str) -> str:
    """Runs containerd's own client on what belongs to Kubernetes; its output. Raises RuntimeError."""
    command = ["ctr", f"--address={socket_path(cluster)}", "--namespace=k8s.io", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def write_configuration(cluster: Path, network: NodeNetwork) -> Path:
    """Writes containerd's and the network's configuration; the path of the former."""
    directory = cluster / "node"
    plugins = next((path for path in _PLUGINS if Path(path, "ptp").exists()), _PLUGINS[0])
    networks = directory / "networks"
    networks.mkdir()
    # Point to point: all traffic between pods is routed, so Services work without a bridge's packet filter.
    routed = {
        "type": "ptp",
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": network.pod_range}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    (networks / "pods.conflist").write_text(json.dumps({"cniVersion": "1.0.0", "name": "pods", "plugins": [routed]}))
    path = directory / "containerd.toml"
    path.write_text(_CONFIGURATION.format(directory=directory, plugins=plugins, networks=networks, pause=PAUSE_IMAGE))
    return path


# Restricted scores, and no huge pages: a machine may lack the capability, or the hierarchy, for either.
_CONFIGURATION = """
version = 2
root = "{directory}/containerd"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
address = "{directory}/containerd.sock"

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
stream_server_address = "127.0.0.1"
restrict_oom_score_adj = true
disable_hugetlb_controller = true
tolerate_missing_hugetlb_controller = true

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{plugins}"
conf_dir = "{networks}"

[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
"""
