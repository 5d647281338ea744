"""The product's own image, built from the Dockerfile as anyone would, once for each state of what goes into it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.cluster.images.base import base_image
from tests.cluster.images.containers import ImageError, run
from tests.cluster.locations import REPOSITORY, cache_directory

NAME = "cluster.test/handoff"

_INPUTS = ("Dockerfile", ".dockerignore", "pyproject.toml", "uv.lock", "README.md", "LICENSE", "hook", "manifests/crds")
_KEPT = 3  # archives, of some 100 MB each


def product_image() -> tuple[str, Path]:
    """Name and archive of the image of this checkout. Raises ImageError with the end of the build's output."""
    base = base_image()
    key = _key(base)
    name, archive = f"{NAME}:{key}", cache_directory() / "images" / f"handoff-{key}.tar"
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (archive.parent / "handoff.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            sys.stderr.write(f"test images: building {name} on {base}\n")
            began = time.monotonic()
            build_image(REPOSITORY, name, archive, base=base)
            sys.stderr.write(f"test images: built {name} in {time.monotonic() - began:.0f} s\n")
            _forget_old(archive.parent)
        os.utime(archive)
    return name, archive


def load_image(name: str, archive: Path) -> None:
    """Makes sure that podman has the image, which it does unless its store was emptied. Raises ImageError."""
    try:
        run(["podman", "image", "exists", name])
    except ImageError:
        run(["podman", "load", "--quiet", f"--input={archive}"])


def build_image(context: Path, name: str, archive: Path, *, base: str) -> Path:
    """Builds `context`'s Dockerfile on `base` and writes the image's archive. Raises ImageError.

    The builder's stage uses the host's network and certificates; neither gets into the image.
    """
    command = ["buildah", "build", "--layers", "--network=host", f"--build-arg=BASE={base}", f"--tag={name}"]
    for variable in ("PIP_CERT", "SSL_CERT_FILE"):
        certificates = os.environ.get(variable)
        if certificates:
            command += [f"--build-arg={variable}={certificates}", f"--volume={certificates}:{certificates}:ro"]
    run([*command, str(context)], environment={"BUILDAH_RUNTIME": "runc"})
    unfinished = archive.with_suffix(f".{os.getpid()}")
    try:
        run(["buildah", "push", "--quiet", name, f"docker-archive:{unfinished}:{name}"])
        return unfinished.replace(archive)
    finally:
        unfinished.unlink(missing_ok=True)


def _key(base: str) -> str:
    digest = hashlib.sha256(base.encode())
    for path in _files():
        digest.update(f"\0{path.relative_to(REPOSITORY)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _files() -> Iterator[Path]:
    for name in _INPUTS:
        path = REPOSITORY / name
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file() and file.suffix != ".pyc")
        else:
            yield path


def _forget_old(directory: Path) -> None:
    archives = sorted(directory.glob("handoff-*.tar"), key=lambda path: path.stat().st_mtime)
    for archive in archives[:-_KEPT]:
        archive.unlink()
        run(["podman", "rmi", "--force", "--ignore", f"{NAME}:{archive.stem.removeprefix('handoff-')}"])
    # What older builds left unnamed; a day's layers make the next build faster.
    run(["podman", "image", "prune", "--force", "--filter=until=24h"])
