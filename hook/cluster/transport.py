"""HTTP: one request out, one answer (or none) back."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError, SSLError

from hook.cluster.answers import Answer
from hook.cluster.credentials import Credentials
from hook.cluster.open_connections import OpenConnections

CONNECT_TIMEOUT = 3.0
_CHUNK = 1 << 16
_RELOAD_PAUSE = 1.0


class Transport:
    """Thread-safe. Sends what it is given, whenever it is told to; what went wrong is an Answer with status 0."""

    def __init__(self, credentials: Credentials, size: int) -> None:
        self.credentials = credentials
        self._size = size
        self._open = OpenConnections()
        self._pool = self._open.follow(credentials.pool(size))
        self._lock = threading.Lock()
        self._reloaded_at = float("-inf")

    def start(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None,
        body: Any,
        headers: Mapping[str, str] | None,
        timeout: float,
        *,
        silence: float | None = None,
    ) -> tuple[Answer, urllib3.BaseHTTPResponse | None]:
        """Sends, and reads the answer's head, in `timeout` seconds all in all.

        The body is still to come, unless there was no answer. `silence`: seconds between two bytes of it after which
        it counts as broken; `timeout` by default.
        """
        sent = {"Accept": "application/json", "User-Agent": "handoff", **(headers or {})}
        authorization = self.credentials.authorization()
        if authorization is not None:
            sent["Authorization"] = authorization
        data = None
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
            data = json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()
        limit = max(timeout, 0.1)
        try:
            response = self._pool.request(
                method,
                f"{self.credentials.host}{path}{f'?{urlencode(query)}' if query else ''}",
                body=data,
                headers=sent,
                preload_content=False,
                redirect=False,
                retries=False,
                timeout=urllib3.Timeout(total=silence or limit, connect=min(CONNECT_TIMEOUT, limit)),
            )
        except (HTTPError, OSError) as error:
            return _failure(error), None
        return Answer(response.status, dict(response.headers)), response

    def finish(self, head: Answer, response: urllib3.BaseHTTPResponse, timeout: float) -> Answer:
        """The answer with its body, if that comes within `timeout` seconds: dripping is as good as silence."""
        until = time.monotonic() + timeout
        socket = getattr(response.connection, "sock", None)
        chunks: list[bytes] = []
        try:
            while chunk := response.read1(_CHUNK):
                chunks.append(chunk)
                left = until - time.monotonic()
                if left <= 0:
                    response.close()
                    return Answer(0, failure=f"the answer took longer than {timeout:.0f} s")
                if socket is not None:
                    socket.settimeout(left)
        except (HTTPError, OSError) as error:
            response.close()
            return _failure(error)
        response.release_conn()
        return Answer(head.status, head.headers, b"".join(chunks))

    def renew_credentials(self) -> None:
        """Reads the credentials again; once for all workers that are refused in the same moment."""
        with self._lock:
            if time.monotonic() - self._reloaded_at < _RELOAD_PAUSE:
                return
            if self.credentials.reload():
                self._pool = self._open.follow(self.credentials.pool(self._size))
            self._reloaded_at = time.monotonic()

    def cut(self) -> None:
        """Ends whatever is under way: it gets no answer."""
        self._open.cut()

    def close(self) -> None:
        """Drops the connections that are not in use."""
        self._pool.clear()


def _failure(error: Exception) -> Answer:
    """No answer: the cause in words, and whether the server may have acted."""
    text = str(error.args[-1] if error.args else error) or type(error).__name__
    untrusted = isinstance(error, SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error)
    sent = not isinstance(error, NewConnectionError | ConnectTimeoutError)
    return Answer(0, failure=text, sent=sent, untrusted=untrusted)
