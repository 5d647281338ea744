"""Files that were packed with gzip, recognized by their content or their name."""

from __future__ import annotations

import zlib

from hook.errors import InvalidInput

MAX_SIZE = 256 * 1024 * 1024  # bytes, unpacked; far above any manifest, far below what a bomb makes of it
_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 31  # zlib: a gzip header, the largest window


def unpacked(data: bytes, file: str) -> bytes:
    """The data itself, or what it unpacks to; raises InvalidInput naming the file."""
    if not data.startswith(_MAGIC):
        if file.lower().endswith(".gz") and data:
            raise InvalidInput(f"{file}: is named .gz and is not gzip; pack it with gzip, or rename it")
        return data
    pieces = []
    size = 0
    try:
        while data:
            unpacker = zlib.decompressobj(_GZIP_WINDOW)
            piece = unpacker.decompress(data, MAX_SIZE - size + 1)
            size += len(piece)
            if size > MAX_SIZE:
                raise InvalidInput(f"{file}: unpacks to more than {MAX_SIZE >> 20} MiB")
            if not unpacker.eof:
                raise InvalidInput(f"{file}: the gzip data ends early; was it copied as a whole?")
            pieces.append(piece)
            data = unpacker.unused_data.lstrip(b"\0")
    except zlib.error:
        raise InvalidInput(f"{file}: the gzip data is damaged") from None
    return b"".join(pieces)
