"""The manifest files below a directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hook.errors import InvalidInput
from hook.manifests.files import is_read


def read_directory(top: Path) -> dict[str, bytes]:
    """Path below `top` (with /) → content, for each file that counts (see files).

    Links are followed, to directories too: a mounted ConfigMap with paths in it shows them as links, and what is missed
    here would be taken for no longer wanted. Raises InvalidInput for what cannot be read, and for a link that leads
    to a directory it lies in.
    """
    return {name: read_file(top / name) for name in sorted(_names(top, "", (_real(top),)))}


def read_file(path: Path) -> bytes:
    """The content of a regular file; raises InvalidInput, naming it, for anything else."""
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{path}: is no regular file")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from None


def _names(top: Path, below: str, parents: tuple[str, ...]) -> Iterator[str]:
    try:
        entries = sorted(os.scandir(top / below), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidInput(f"{top / below}: cannot be read: {error.strerror or error}") from None
    for entry in entries:
        if entry.name.startswith("."):
            continue
        name = f"{below}{entry.name}"
        if entry.is_dir():
            real = _real(top / name)
            if real in parents:
                raise InvalidInput(f"{top / name}: is a link to a directory that it lies in")
            yield from _names(top, f"{name}/", (*parents, real))
        elif is_read(name):
            yield name


def _real(path: Path) -> str:
    return os.path.realpath(path)
