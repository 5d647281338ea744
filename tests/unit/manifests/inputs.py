"""Small inputs for these tests, and what becomes of them."""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hook.errors import InvalidInput
from hook.manifests.identity import Object
from hook.manifests.load import Manifests, load
from hook.manifests.reader import read_documents

FILE = "deploy.yaml"
CORPUS = Path(os.environ.get("HANDOFF_CORPUS", Path(__file__).parents[4] / "shared" / "corpus"))


def values_of(text: str | bytes, file: str = FILE) -> list[Any]:
    """The values of the documents in a text (dedented)."""
    data = dedent(text).encode() if isinstance(text, str) else text
    return [document.value for document in read_documents(data, file)]


def lines_of(text: str) -> list[int]:
    return [document.origin.line for document in read_documents(dedent(text).encode(), FILE)]


def loaded(text: str | bytes, file: str = FILE) -> Manifests:
    data = dedent(text).encode() if isinstance(text, str) else text
    return load(read_documents(data, file))


def only(text: str) -> Object:
    """The one object that a text asks for, as it would be applied."""
    (manifest,) = loaded(text).items
    return manifest.obj


def refusal(text: str | bytes, file: str = FILE) -> str:
    """Why a text is bad input: the whole error."""
    with pytest.raises(InvalidInput) as caught:
        loaded(text, file)
    assert caught.value.exit_code == 2
    return str(caught.value)


def config_map(name: str = "front", **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}
