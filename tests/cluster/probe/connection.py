"""One kept-alive HTTP/1.1 connection that does nothing but GET, with as little work a read as possible.

A general client spends more time on a request than the server does; the probe shares two cores with what it watches.
"""

from __future__ import annotations

import socket
import ssl
from typing import BinaryIO
from urllib.parse import urlsplit

ACCEPT = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class Connection:
    """Reads metadata of objects. Raises OSError (or ValueError for an odd answer) and reconnects at the next read."""

    def __init__(self, server: str, tls: ssl.SSLContext, authorization: str | None) -> None:
        address = urlsplit(server)
        self._address = (address.hostname or "", address.port or 443)
        self._tls = tls
        lines = [f"Host: {address.netloc}", f"Accept: {ACCEPT}", "User-Agent: handoff-probe"]
        if authorization:
            lines.append(f"Authorization: {authorization}")
        self._tail = (" HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode()
        self._socket: ssl.SSLSocket | None = None
        self._stream: BinaryIO | None = None

    def get(self, path: str) -> tuple[int, bytes]:
        """Status code and body."""
        try:
            if self._socket is None:
                plain = socket.create_connection(self._address, timeout=10)
                plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._socket = self._tls.wrap_socket(plain, server_hostname=self._address[0])
                self._stream = self._socket.makefile("rb")
            assert self._stream is not None
            self._socket.sendall(b"GET " + path.encode() + self._tail)
            return _answer(self._stream)
        except (OSError, ValueError):
            self.close()
            raise

    def close(self) -> None:
        """Ends it."""
        if self._stream is not None:
            self._stream.close()
        if self._socket is not None:
            self._socket.close()
        self._socket = self._stream = None


def _answer(stream: BinaryIO) -> tuple[int, bytes]:
    status = stream.readline().split(b" ", 2)
    if len(status) < 2:
        raise ConnectionError("the server closed the connection")
    length, chunked = 0, False
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        match name.lower():
            case b"content-length":
                length = int(value)
            case b"transfer-encoding":
                chunked = b"chunked" in value.lower()
    body = _chunks(stream) if chunked else stream.read(length)
    return int(status[1]), body


def _chunks(stream: BinaryIO) -> bytes:
    parts = []
    while size := int(stream.readline().split(b";")[0], 16):
        parts.append(stream.read(size))
        stream.readline()
    stream.readline()
    return b"".join(parts)
