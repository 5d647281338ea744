"""Which programs the two tools are made of. They are built only when asked for: each takes minutes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import building
from tests.cluster.binaries import Program
from tests.cluster.node.packages import install
from tests.cluster.toolchain import BuildError, find_go


@dataclass(frozen=True, slots=True)
class Controller:
    """A program, the module that it comes from, and the files of that module that running it takes."""

    program: Program
    module: str
    assets: tuple[str, ...]

    @property
    def directory(self) -> Path:
        """Where the cache holds the assets, by their paths in the module."""
        return self.program.cached.parents[1]

    @property
    def missing(self) -> bool:
        """Whether the cache lacks the program or one of its files."""
        return not all(path.exists() for path in (self.program.cached, *map(self.directory.joinpath, self.assets)))


def _flux(name: str, module: str, seconds: int) -> Controller:
    path = f"github.com/fluxcd/{name}"
    return Controller(Program(name, module, path, "v1.9.6", seconds), path, ("config/crd/bases",))


_KUSTOMIZE = "sigs.k8s.io/kustomize/kustomize/v5"

TOOLS = {
    "flux": (
        _flux("kustomize-controller", "gomod-flux-kustomize", 257),
        _flux("source-controller", "gomod-flux-source", 197),
    ),
    "argocd": (
        Controller(
            Program("argocd", "gomod-argo", "github.com/argoproj/argo-cd/v3/cmd", "v3.6.1", 466),
            "github.com/argoproj/argo-cd/v3",
            ("manifests/crds", "hack/git-verify-wrapper.sh"),
        ),
        # Its repo-server calls it by name.
        Controller(Program("kustomize", "gomod-kustomize", _KUSTOMIZE, "v5.8.1", 45), _KUSTOMIZE, ()),
    ),
}


def missing(tool: str) -> str | None:
    """Why the tool cannot be run on this machine as it is, or None when it can."""
    lacking = [controller.program.name for controller in TOOLS[tool] if controller.missing]
    if tool == "argocd" and not shutil.which("redis-server"):
        lacking.append("redis-server")
    if not lacking:
        return None
    return f"not built or installed: {', '.join(lacking)}; `python -m tests.cluster.gitops build {tool}` does it"


def build(tool: str) -> None:
    """Builds what the cache lacks, and copies the files beside it. Raises BuildError, and PackagesError."""
    if tool == "argocd" and not shutil.which("redis-server"):
        install(["redis-server"])
    building.build([controller.program for controller in TOOLS[tool]])
    for controller in TOOLS[tool]:
        if controller.missing:
            _copy_assets(controller)


def _copy_assets(controller: Controller) -> None:
    done = subprocess.run(
        [find_go(), "mod", "download", "-json", f"{controller.module}@{controller.program.version}"],
        capture_output=True,
        text=True,
        env={**os.environ, "GOTOOLCHAIN": "auto"},
    )
    if done.returncode != 0:
        raise BuildError(f"the files of {controller.module} could not be had:\n{(done.stdout + done.stderr)[-2000:]}")
    source = Path(json.loads(done.stdout)["Dir"])
    for asset in controller.assets:
        target = controller.directory / asset
        target.parent.mkdir(parents=True, exist_ok=True)
        # What the module cache holds is read-only, and would be so here.
        if (source / asset).is_dir():
            shutil.copytree(source / asset, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
        else:
            shutil.copyfile(source / asset, target)
            target.chmod(0o755)
