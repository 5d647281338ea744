"""Which files of a tree count, by their path in it: the same rules for a directory, a ConfigMap and an archive."""

from __future__ import annotations

from pathlib import PurePosixPath

from hook.errors import InvalidInput

SETTINGS = "handoff.yaml"

_ENDINGS = (".yaml", ".yml", ".json")
_TO_RENDER = {
    "kustomization.yaml": "kustomize build",
    "kustomization.yml": "kustomize build",
    "Kustomization": "kustomize build",
    "Chart.yaml": "helm template",
}


def is_read(path: str) -> bool:
    """Whether a file counts: YAML and JSON, also packed (.gz), in no hidden place; and what has to be refused."""
    parts = PurePosixPath(path).parts
    if not parts or any(part.startswith(".") for part in parts):
        return False
    name = parts[-1]
    return name in _TO_RENDER or name.lower().removesuffix(".gz").endswith(_ENDINGS)


def refuse_unrendered(path: str, shown: str) -> None:
    """Raise InvalidInput for a file that says that the tree is an input of kustomize or a Helm chart."""
    tool = _TO_RENDER.get(PurePosixPath(path).name)
    if tool:
        raise InvalidInput(f"{shown}: these are no manifests yet; render it first (`{tool}`) and give the result")
