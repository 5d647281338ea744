"""The manifest files in a tar archive packed with gzip, read in memory and never unpacked to a disk."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from pathlib import PurePosixPath

from hook.errors import InvalidInput
from hook.manifests.files import is_read

# Far above any release, far below what a bomb makes of some kilobytes.
MAX_UNPACKED = 512 * 1024 * 1024  # bytes, of everything in it
MAX_KEPT = 64 * 1024 * 1024  # bytes, of the files that count
MAX_ENTRIES = 100_000


def read_archive(data: bytes, name: str, below: str = "") -> dict[str, bytes]:
    """Path below the directory `below` (with /, "" is the top) → content, of the files that count (see files).

    `name` stands in errors. Raises InvalidInput for what is no such archive or too large, for a path that leads out of
    it, for links and whatever else is neither file nor directory, for a file that is in it twice, and where `below` is
    no directory in it.
    """
    files: dict[str, bytes] = {}
    kept = 0
    found = not below
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
            stream = _Bounded(packed, name)
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for number, entry in enumerate(archive):
                    if number >= MAX_ENTRIES:
                        raise InvalidInput(f"{name}: holds more than {MAX_ENTRIES} entries")
                    path = _path(entry, name)
                    inside = _inside(path, below)
                    if inside is None:
                        continue
                    if path == below and not entry.isdir():
                        raise InvalidInput(f"{name}: {below} is a file; name the directory that it is in")
                    found = True
                    if entry.isdir() or not is_read(inside):
                        continue
                    if inside in files:
                        raise InvalidInput(f"{name}: {path} is in it twice")
                    kept += entry.size
                    if kept > MAX_KEPT:
                        raise InvalidInput(f"{name}: its manifests are larger than {MAX_KEPT >> 20} MiB")
                    content = archive.extractfile(entry)
                    files[inside] = content.read() if content is not None else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise InvalidInput(f"{name}: is no tar archive packed with gzip, or is damaged: {error}") from None
    if not found:
        raise InvalidInput(f"{name}: there is no {below} in it")
    return files


class _Bounded(io.RawIOBase):
    """Lets no more than MAX_UNPACKED bytes through."""

    def __init__(self, packed: gzip.GzipFile, name: str) -> None:
        self._packed = packed
        self._name = name
        self._size = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        chunk = self._packed.read(size)
        self._size += len(chunk)
        if self._size > MAX_UNPACKED:
            raise InvalidInput(f"{self._name}: unpacks to more than {MAX_UNPACKED >> 20} MiB")
        return chunk


def _path(entry: tarfile.TarInfo, name: str) -> str:
    """The entry's path without a leading `./`."""
    if not (entry.isfile() or entry.isdir()):
        what = "a link" if entry.issym() or entry.islnk() else "neither file nor directory"
        raise InvalidInput(f"{name}: {entry.name} is {what}")
    path = PurePosixPath(entry.name)
    if path.is_absolute() or ".." in path.parts:
        raise InvalidInput(f"{name}: {entry.name} leads out of the archive")
    return str(path)


def _inside(path: str, below: str) -> str | None:
    """The path below a directory; None for what is elsewhere."""
    if path == ".":
        return None
    if not below:
        return path
    if path == below:
        return ""
    return path.removeprefix(f"{below}/") if path.startswith(f"{below}/") else None
