"""An HTTP server that answers by a script: for faults that a real API server shows too rarely."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import urllib3

from hook.cluster.connection import Connection
from hook.cluster.retry import Retry


@dataclass(frozen=True)
class Request:
    """What the server was sent."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


@dataclass(frozen=True)
class Reply:
    """What it answers: JSON (or text), then a fault if one is wanted.

    `lines` are sent one by one as a chunked stream; `hold` keeps the connection open that many seconds afterwards.
    `cut` closes the connection after so many bytes of the body; `drip` sends a byte every so many seconds.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    lines: Sequence[Any] | None = None
    hold: float = 0.0
    cut: int | None = None
    drip: float = 0.0
    reset: bool = False


Script = Callable[[Request], Reply]


class Server:
    """Its address, what it was asked so far, and the script that answers."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Request] = []
        self.script = script
        self.ended = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length)
                url = urlsplit(self.path)
                headers = {key.lower(): value for key, value in self.headers.items()}
                request = Request(
                    self.command, url.path, dict(parse_qsl(url.query)), headers, json.loads(raw) if raw else None
                )
                server.requests.append(request)
                server.send(self, server.script(request))

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.reset:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        data = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        for key, value in reply.headers.items():
            handler.send_header(key, value)
        if reply.lines is not None:
            self._stream(handler, reply)
            return
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        if reply.cut is not None:
            handler.wfile.write(data[: reply.cut])
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        elif reply.drip:
            for byte in data:
                if self.ended.wait(reply.drip):
                    break
                handler.wfile.write(bytes([byte]))
                handler.wfile.flush()
        else:
            handler.wfile.write(data)

    def _stream(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for line in reply.lines or ():
            data = (line if isinstance(line, str) else json.dumps(line)).encode() + b"\n"
            handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            handler.wfile.flush()
        self.ended.wait(reply.hold)
        handler.wfile.write(b"0\r\n\r\n")

    def close(self) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(script: Script | Sequence[Reply]) -> Iterator[Server]:
    """A server with that script: a function, or replies in turn (the last one again and again)."""
    if not callable(script):
        replies = list(script)
        taken = iter(range(10**9))
        lock = threading.Lock()

        def script(_: Request) -> Reply:
            with lock:
                return replies[min(next(taken), len(replies) - 1)]

    server = Server(script)
    try:
        yield server
    finally:
        server.close()


class Tokens:
    """Credentials that hand out one token after the other, a new one after each `reload`."""

    namespace = "tests"

    def __init__(self, host: str, *tokens: str) -> None:
        self.host = host
        self._tokens = list(tokens)

    def pool(self, size: int) -> urllib3.PoolManager:
        return urllib3.PoolManager(maxsize=size)

    def authorization(self) -> str | None:
        return f"Bearer {self._tokens[0]}" if self._tokens else None

    def reload(self) -> bool:
        if len(self._tokens) > 1:
            del self._tokens[0]
        return False


def connect(server: Server, *tokens: str, budget: float = 5.0) -> Connection:
    """A connection to the scripted server that waits hundredths of the usual pauses."""
    connection = Connection(Tokens(server.address, *tokens))
    connection.retry = Retry(budget=budget, spread=lambda: 0.01)
    return connection


def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Whether it comes true within that time."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def status(code: int, reason: str, message: str = "", **details: Any) -> dict[str, Any]:
    """A Status as the API server writes it."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
        "details": details,
    }
