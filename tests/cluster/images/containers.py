"""buildah and podman with a store of their own in the cache, set up for machines where their defaults fail."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster.locations import cache_directory


class ImageError(RuntimeError):
    """An image could not be made; the text says which command said what."""


def run(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> str:
    """Runs a command of buildah or podman; its output. Raises ImageError with the end of what it wrote."""
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **settings(), **(environment or {})}
    )
    if done.returncode != 0:
        raise ImageError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-3000:].strip()}")
    return done.stdout


def settings() -> dict[str, str]:
    """The environment that points both tools to the store and to settings that work here."""
    place = cache_directory() / "containers"
    place.mkdir(parents=True, exist_ok=True)
    storage, engine = place / "storage.conf", place / "containers.conf"
    _write(
        storage,
        f'[storage]\ndriver = "overlay"\ngraphroot = "{place / "store"}"\nrunroot = "{_runroot()}"\n',
    )
    # Limits above the machine's hard ones are refused; crun fails where both versions of control groups are mounted.
    _write(
        engine,
        '[containers]\ndefault_ulimits = ["nofile=20000:20000", "nproc=10000:10000"]\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n',
    )
    return {"CONTAINERS_STORAGE_CONF": str(storage), "CONTAINERS_CONF": str(engine)}


def _runroot() -> str:
    return f"/run/handoff-containers-{os.getuid()}"


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(text)
        unfinished.replace(path)
