"""One request on its way through the proxy, and what can be done with it."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from tests.cluster.proxy.request import Request

# Said anew for each of the two connections.
_HOP_BY_HOP = ("connection", "keep-alive", "transfer-encoding", "upgrade", "host")
_CHUNK = 1 << 16

Headers = Mapping[str, str] | Sequence[tuple[str, str]]


@dataclass(slots=True)
class Recorded:
    """A request that came, and the status code that its client was sent (0: none, or not yet)."""

    request: Request
    status: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """A whole answer of the server."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Dropped(Exception):
    """The exchange has ended without an answer; the client's connection is closed."""


class Exchange:
    """What a fault gets to play with. It has to answer once: `relay`, `respond`, or end with `drop` or `reset`."""

    def __init__(
        self, recorded: Recorded, client: ssl.SSLSocket, upstream: http.client.HTTPSConnection, authority: str
    ) -> None:
        self.request = recorded.request
        self._recorded = recorded
        self._client = client
        self._upstream = upstream
        self._authority = authority

    def relay(self) -> None:
        """Passes the request on and the answer back, piece by piece as it comes."""
        response = self._send()
        length = response.getheader("Content-Length")
        self._head(response.status, response.getheaders(), length)
        while piece := response.read1(_CHUNK):
            if length is None:
                piece = b"%x\r\n%s\r\n" % (len(piece), piece)
            self._client.sendall(piece)
        if length is None:
            self._client.sendall(b"0\r\n\r\n")
        response.close()  # its end is not noticed by `read1`, and the connection could not be used again

    def forward(self) -> Response:
        """Passes the request on; the client has no answer yet. Not for watches, whose answers do not end."""
        response = self._send()
        return Response(response.status, response.getheaders(), response.read())

    def respond(self, status: int, body: bytes, headers: Headers = (), *, cut: int | None = None) -> None:
        """Answers the client. With `cut`, only so many bytes of the body come, and then the connection ends."""
        given = headers.items() if isinstance(headers, Mapping) else headers
        self._head(status, [(k, v) for k, v in given if k.lower() != "content-length"], str(len(body)))
        self._client.sendall(body if cut is None else body[:cut])
        if cut is not None:
            self.drop()

    def drop(self) -> None:
        """Closes the client's connection without an answer, or in the middle of one."""
        raise Dropped

    def reset(self) -> None:
        """As `drop`, but rudely: the client's kernel is sent a reset."""
        linger = struct.pack("ii", 1, 0)
        with contextlib.suppress(OSError):
            self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        raise Dropped

    def _send(self) -> http.client.HTTPResponse:
        request = self.request
        for last in (False, True):
            try:
                self._upstream.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
                self._upstream.putheader("Host", self._authority)
                for name, value in request.headers.items():
                    if name not in _HOP_BY_HOP:
                        self._upstream.putheader(name, value)
                self._upstream.endheaders(request.body or None)
                return self._upstream.getresponse()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                # A kept-alive connection that the server has closed meanwhile: it has seen nothing of the request.
                self._upstream.close()
                if last:
                    raise
        raise AssertionError("unreachable")

    def _head(self, status: int, headers: list[tuple[str, str]], length: str | None) -> None:
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = ""
        lines = [f"HTTP/1.1 {status} {phrase}"]
        skipped = (*_HOP_BY_HOP, "content-length")
        lines += [f"{name}: {value}" for name, value in headers if name.lower() not in skipped]
        lines.append(f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked")
        self._recorded.status = status
        self._client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


Fault = Callable[[Exchange], None]
