"""Release manifests as their projects publish them; tests that want them are skipped where they are not at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.locations import REPOSITORY


def corpus(name: str, version: str) -> Path:
    """The file of one release, such as `corpus("tekton-pipeline", "v1.2.0")`; skips the test where there is none.

    Looked for below HANDOFF_CORPUS, else in a folder `shared/corpus` beside the checkout.
    """
    path = _directory() / name / f"{version}.yaml"
    if not path.is_file():
        pytest.skip(f"needs the release manifests of {name} {version}, looked for at {path}")
    return path


def needs_corpus(*names: str) -> pytest.MarkDecorator:
    """A mark that skips tests before their fixtures are made, where releases of these names are not at hand."""
    missing = [name for name in names if not (_directory() / name).is_dir()]
    reason = f"needs the release manifests of {', '.join(missing)}, looked for in {_directory()}"
    return pytest.mark.skipif(bool(missing), reason=reason)


def _directory() -> Path:
    named = os.environ.get("HANDOFF_CORPUS")
    return Path(named) if named else REPOSITORY.parent / "shared" / "corpus"


def objects_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a manifest file, Lists not flattened."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with path.open("rb") as file:
        return [document for document in yaml.load_all(file, Loader=loader) if document]
