"""Images of one static Go program each, built once into the cache: the pod's pause, and a small HTTP server."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
from pathlib import Path

from tests.cluster.images.archive import write_image
from tests.cluster.locations import cache_directory
from tests.cluster.node.containerd import PAUSE_IMAGE
from tests.cluster.toolchain import BuildError, find_go

_SOURCES = Path(__file__).parent / "static"


def pause_image() -> Path:
    """The archive of the image that containerd starts every pod with."""
    return write_image(_images() / "pause.tar", PAUSE_IMAGE, {"/pause": _program("pause")}, entrypoint=["/pause"])


def server_image(version: str) -> tuple[str, Path]:
    """Name and archive of the test workload's image that answers with `version`."""
    name = f"cluster.test/server:{version}"
    archive = write_image(
        _images() / f"server-{version}.tar",
        name,
        {"/server": _program("server")},
        entrypoint=["/server"],
        environment={"VERSION": version},
    )
    return name, archive


def _images() -> Path:
    return cache_directory() / "images"


def _program(name: str) -> Path:
    """The built program, by the hash of its source. Raises BuildError with the compiler's words."""
    source = _SOURCES / name / "main.go"
    key = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    target = _images() / "programs" / f"{name}-{key}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            return target
        unfinished = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            [find_go(), "build", "-trimpath", "-ldflags", "-s -w", "-o", str(unfinished), f"./{name}"],
            cwd=_SOURCES,
            env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"},
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise BuildError(f"the image's program {name} could not be built:\n{done.stderr[-2000:]}")
        return unfinished.replace(target)
