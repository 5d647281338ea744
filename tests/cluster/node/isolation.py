"""What the node must not share with the host: directories that its programs insist on, and kernel settings.

To be called in the node's own mount namespace.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

# Paths built into containerd, the CNI plugins, iproute2 and the kubelet.
_PRIVATE = ("/run/containerd", "/run/netns", "/var/lib/cni", "/var/log/containers")

# The kubelet sets these. None of them is per namespace, so it gets files to write into.
_SETTINGS = (
    "kernel/keys/root_maxbytes",
    "kernel/keys/root_maxkeys",
    "kernel/panic",
    "kernel/panic_on_oops",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
)


def isolate(directory: Path) -> None:
    """Covers all of these; `directory` holds the stand-ins of the settings."""
    for path in _PRIVATE:
        Path(path).mkdir(parents=True, exist_ok=True)
        _mount("-t", "tmpfs", "tmpfs", path)
    for name in _SETTINGS:
        real = Path("/proc/sys", name)
        if real.exists():
            stand_in = directory / name.replace("/", ".")
            stand_in.write_text(real.read_text())
            _mount("--bind", str(stand_in), str(real))


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)
