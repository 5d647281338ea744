"""The Debian packages that a real node and its images need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

# What each package is wanted for, as a program to look for on PATH.
_PROGRAMS = {
    "containerd": "containerd",
    "runc": "runc",
    "nftables": "nft",
    "conntrack": "conntrack",
    "socat": "socat",
    "iproute2": "ip",
    "util-linux": "unshare",
    "debootstrap": "debootstrap",
    "buildah": "buildah",
    "podman": "podman",
}
_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_PLUGINS = ("/usr/lib/cni/ptp", "/opt/cni/bin/ptp")


class PackagesError(RuntimeError):
    """What real pods need cannot be installed here; the text says what and why."""


def missing_packages() -> list[str]:
    """The packages whose programs are not there."""
    missing = [package for package, program in _PROGRAMS.items() if not shutil.which(program, path=_PATH)]
    if not any(os.path.exists(path) for path in _PLUGINS):
        missing.append("containernetworking-plugins")
    return missing


def missing_for_real_pods() -> str | None:
    """Why this machine cannot run real pods, or None."""
    if sys.platform != "linux":
        return "real pods need Linux"
    if os.geteuid() != 0:
        return "real pods need root"
    missing = missing_packages()
    if missing:
        return f"real pods need {', '.join(missing)}: run `python -m tests.cluster install-node-packages`"
    return None


def install_packages() -> None:
    """Installs what real pods need and is missing. Raises PackagesError when that is not possible here."""
    install(missing_packages())


def install(packages: Sequence[str]) -> None:
    """Installs some packages with apt-get. Raises PackagesError when that is not possible here, with the reason."""
    if not packages:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise PackagesError(f"missing: {', '.join(packages)}; installing them needs root and apt-get")
    sys.stderr.write(f"test cluster: installing {', '.join(packages)}\n")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(["apt-get", *command], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise PackagesError(f"apt-get {' '.join(command)}: {done.stderr.strip()[-2000:]}")
