"""A base image with Python, made without a registry: Debian's own packages, from the mirror that apt uses."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.cluster.images.containers import ImageError, run
from tests.cluster.locations import cache_directory

# Raised when the contents change.
_EDITION = 2
_PACKAGES = "python3,python3-pip"
# Nothing runs them, and every build copies them.
_LEFT_OUT = (
    "usr/share/doc",
    "usr/share/info",
    "usr/share/locale",
    "usr/share/man",
    "var/cache/apt",
    "var/lib/apt/lists",
)


def base_image() -> str:
    """The name of the base: HANDOFF_BASE_IMAGE if set (any Python image that the machine can pull), else one made
    here once, in one or two minutes. Raises ImageError."""
    named = os.environ.get("HANDOFF_BASE_IMAGE")
    if named:
        return named
    mirror, release, origin = _mirror()
    name = f"localhost/handoff-base:{origin.lower()}-{release}-{_EDITION}"
    cache_directory().mkdir(parents=True, exist_ok=True)
    with (cache_directory() / "base.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if name not in run(["buildah", "images", "--format={{.Name}}:{{.Tag}}"]).split():
            sys.stderr.write(f"test images: making a base from {mirror} {release} (once, 1-2 min)\n")
            began = time.monotonic()
            _make(name, mirror, release)
            sys.stderr.write(f"test images: made {name} in {time.monotonic() - began:.0f} s\n")
    return name


def _make(name: str, mirror: str, release: str) -> None:
    with tempfile.TemporaryDirectory(prefix="handoff-base-") as scratch:
        root = Path(scratch) / "root"
        # In a mount namespace of its own, so that nothing stays mounted below the root when this is killed.
        bootstrap = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", release, str(root), mirror]
        done = subprocess.run(["unshare", "--mount", *bootstrap], capture_output=True, text=True)
        if done.returncode != 0:
            raise ImageError(f"debootstrap of {release} from {mirror}: {done.stdout[-2000:]}{done.stderr[-1000:]}")
        for leftover in _LEFT_OUT:
            shutil.rmtree(root / leftover, ignore_errors=True)
        container = run(["buildah", "from", "scratch"]).strip()
        try:
            run(["buildah", "add", "--quiet", container, str(root), "/"])
            run(["buildah", "config", "--cmd=/usr/bin/python3", container])
            run(["buildah", "commit", "--quiet", container, name])
        finally:
            run(["buildah", "rm", container])


def _mirror() -> tuple[str, str, str]:
    """Address, release and distributor of the machine's own packages, as apt knows them."""
    wanted = _release()
    told = subprocess.run(
        ["apt-get", "indextargets", "--format=$(REPO_URI) $(CODENAME) $(ORIGIN)", "Created-By: Packages"],
        capture_output=True,
        text=True,
    ).stdout
    for line in told.splitlines():
        address, _, rest = line.partition(" ")
        release, _, origin = rest.partition(" ")
        if release == wanted and origin in ("Debian", "Ubuntu"):
            return address, release, origin
    raise ImageError(
        f"apt has no repository for {wanted or 'this system'}: run apt-get update, or set HANDOFF_BASE_IMAGE"
    )


def _release() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        key, _, value = line.partition("=")
        if key == "VERSION_CODENAME":
            return value.strip('"')
    return ""
