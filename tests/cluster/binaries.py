"""Which programs a cluster is made of, and where each comes from.

In this order: KUBEBUILDER_ASSETS, PATH (both only for the version that we build: a stray old kubectl must not be
taken), the cache, and else a build into the cache.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.locations import KUBERNETES_VERSION, KWOK_VERSION, cache_directory

CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
SIMULATED_NODE = ("kwok",)
REAL_NODE = ("kubelet", "kube-proxy")


@dataclass(frozen=True, slots=True)
class Program:
    """One program and how it is built: the directory of its go.mod, its package, and its usual time on two cores."""

    name: str
    module: str
    package: str
    version: str
    seconds: int

    @property
    def cached(self) -> Path:
        """Where the cache holds it, whether or not it is there yet."""
        folder = self.version if self.module == "gomod" else f"{self.name}-{self.version}"
        return cache_directory() / folder / "bin" / self.name

    def version_pattern(self) -> re.Pattern[str]:
        """What `--version` must contain to be taken from elsewhere: the same minor version; any etcd of 3.5, 3.6."""
        if self.name == "etcd":
            return re.compile(r"etcd Version: 3\.[56]\.")
        minor = ".".join(self.version.split(".")[:2])
        return re.compile(rf"\b{re.escape(minor)}\.")


def _kubernetes(name: str, seconds: int) -> Program:
    return Program(name, "gomod", f"k8s.io/kubernetes/cmd/{name}", KUBERNETES_VERSION, seconds)


PROGRAMS = {
    program.name: program
    for program in (
        Program("etcd", "gomod", "go.etcd.io/etcd/server/v3", KUBERNETES_VERSION, 66),
        _kubernetes("kube-apiserver", 324),
        _kubernetes("kube-controller-manager", 81),
        _kubernetes("kube-scheduler", 7),
        Program("kwok", "gomod-kwok", "sigs.k8s.io/kwok/cmd/kwok", KWOK_VERSION, 99),
        _kubernetes("kubectl", 29),
        _kubernetes("kubelet", 27),
        _kubernetes("kube-proxy", 10),
    )
}


class Binaries:
    """The programs that were found: name to path."""

    def __init__(self, paths: dict[str, Path]) -> None:
        self._paths = paths

    def path(self, name: str) -> Path:
        """The path of one program. Raises KeyError for one that was not asked for."""
        return self._paths[name]


def find_binaries(names: Iterable[str]) -> Binaries:
    """Finds every program of `names`, building what is nowhere (minutes, with progress on stderr).

    Raises BuildError when one can neither be found nor built.
    """
    found = {name: _installed(PROGRAMS[name]) or _in_cache(PROGRAMS[name]) for name in names}
    missing = [PROGRAMS[name] for name, path in found.items() if path is None]
    if missing:
        from tests.cluster.building import build

        build(missing)
    return Binaries({name: path or PROGRAMS[name].cached for name, path in found.items()})


def _installed(program: Program) -> Path | None:
    directories = [os.environ.get("KUBEBUILDER_ASSETS"), os.environ.get("PATH")]
    for search in filter(None, directories):
        found = shutil.which(program.name, path=search)
        if found and _is_ours(program, found):
            return Path(found)
    return None


def _is_ours(program: Program, path: str) -> bool:
    arguments = ["version", "--client"] if program.name == "kubectl" else ["--version"]
    try:
        told = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return bool(program.version_pattern().search(told))


def _in_cache(program: Program) -> Path | None:
    return program.cached if program.cached.exists() else None
