"""Builds the cluster's programs from their published Go modules, once, into the cache."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cluster.locations import cache_directory
from tests.cluster.toolchain import BuildError, find_go

if TYPE_CHECKING:
    from tests.cluster.binaries import Program

_HERE = Path(__file__).parent


def build(programs: Sequence[Program]) -> None:
    """Builds what the cache lacks; a second builder waits for the first.

    Raises BuildError with the compiler's words.
    """
    cache_directory().mkdir(parents=True, exist_ok=True)
    with (cache_directory() / "build.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _tell("waiting for another build of the test cluster's programs")
            fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [program for program in programs if not program.cached.exists()]
        for number, program in enumerate(missing, 1):
            estimate = f"about {program.seconds} s on two cores with cold caches"
            _tell(f"building {program.name} {program.version} ({number} of {len(missing)}, {estimate})")
            began = time.monotonic()
            _build(find_go(), program)
            _tell(f"built {program.name} in {time.monotonic() - began:.0f} s: {program.cached}")


def _build(go: str, program: Program) -> None:
    target = program.cached
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(f".{os.getpid()}")
    command = [go, "build", "-trimpath", "-ldflags", _linker_flags(program), "-o", str(unfinished)]
    # A module that needs a newer Go than this one names it in its go.mod; the compiler then comes as a module, too.
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "auto"}
    try:
        done = subprocess.run(
            [*command, program.package],
            cwd=_HERE / program.module,
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise BuildError(f"{program.name} could not be built with {go}:\n{done.stderr[-4000:]}")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _linker_flags(program: Program) -> str:
    version, module = program.version, "k8s.io/component-base/version"
    major, minor = version.removeprefix("v").split(".")[:2]
    return f"-s -w -X {module}.gitVersion={version} -X {module}.gitMajor={major} -X {module}.gitMinor={minor}"


def _tell(line: str) -> None:
    sys.stderr.write(f"test cluster: {line}\n")
