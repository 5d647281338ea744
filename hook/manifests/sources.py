"""Where the input comes from: directories, files and standard input, or any tree of files that was fetched before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hook.errors import InvalidInput
from hook.manifests.directory import read_directory, read_file
from hook.manifests.document import Document
from hook.manifests.files import SETTINGS, is_read, refuse_unrendered
from hook.manifests.reader import read_documents

_STDIN = "-"
_STDIN_NAME = "<stdin>"


@dataclass(frozen=True, slots=True)
class Source:
    """Documents as read; `settings` is what `handoff.yaml` at the top of a tree holds, None where there is none.

    `revision` is what Git calls it, where that is known; for people.
    """

    documents: tuple[Document, ...]
    settings: Mapping[str, Any] | None = None
    settings_file: str | None = None
    revision: str = ""


def read_sources(specs: Sequence[str], stdin: IO[bytes]) -> Source:
    """Read each directory, file, or `-` (standard input), in this order.

    A file that is named itself is read whatever its name is. Raises InvalidInput for what is not there, cannot be read
    or is no manifest.
    """
    if list(specs).count(_STDIN) > 1:
        raise InvalidInput("--source -: standard input can be read once only")
    return merged(_read(spec, stdin) for spec in specs)


def read_tree(files: Mapping[str, bytes], name: str, revision: str = "") -> Source:
    """The source that a tree of files makes: path in it (with /) → content; `name` stands before it in errors.

    Read are *.yaml, *.yml and *.json, also .gz, in the order of their paths; names that begin with a dot are not
    entered; `handoff.yaml` at the top is settings. Raises InvalidInput: also for a kustomization or a chart, and naming
    every file that cannot be read as manifests.
    """
    documents: list[Document] = []
    faults: list[str] = []
    settings: Mapping[str, Any] | None = None
    settings_file: str | None = None
    for path in sorted(filter(is_read, files)):
        shown = f"{name.rstrip('/')}/{path}" if name else path
        refuse_unrendered(path, shown)
        try:
            if path == SETTINGS:
                settings, settings_file = _settings(files[path], shown), shown
            else:
                documents.extend(read_documents(files[path], shown))
        except InvalidInput as fault:
            faults.extend((fault.message, *fault.details))
    if faults:
        raise InvalidInput(faults[0], faults[1:])
    return Source(tuple(documents), settings, settings_file, revision)


def merged(sources: Iterable[Source]) -> Source:
    """All of them as one; raises InvalidInput when two of them hold settings."""
    documents: list[Document] = []
    revisions: dict[str, None] = {}
    with_settings: list[Source] = []
    for source in sources:
        documents.extend(source.documents)
        if source.revision:
            revisions.setdefault(source.revision)
        if source.settings_file is not None:
            with_settings.append(source)
    if len(with_settings) > 1:
        files = " and ".join(str(source.settings_file) for source in with_settings)
        raise InvalidInput(f"{files}: settings can be in one source only")
    settings = with_settings[0] if with_settings else Source(())
    return Source(tuple(documents), settings.settings, settings.settings_file, ", ".join(revisions))


def _read(spec: str, stdin: IO[bytes]) -> Source:
    if spec == _STDIN:
        return Source(tuple(read_documents(stdin.read(), _STDIN_NAME)))
    path = Path(spec)
    if path.is_dir():
        return read_tree(read_directory(path), spec)
    refuse_unrendered(path.name, spec)
    return Source(tuple(read_documents(read_file(path), spec)))


def _settings(data: bytes, shown: str) -> Mapping[str, Any]:
    documents = read_documents(data, shown)
    if len(documents) > 1:
        raise InvalidInput(f"{documents[1].origin}: a second document; settings are one mapping")
    value = documents[0].value if documents else {}
    if not isinstance(value, dict):
        raise InvalidInput(f"{shown}:1: settings must be a mapping")
    if "apiVersion" in value and "kind" in value:
        raise InvalidInput(f"{shown}:1: {SETTINGS} is for settings; give this manifest another name")
    return value
