"""The open body of a watch: lines as they come, and an end that another thread can bring about."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

import urllib3
from urllib3.exceptions import HTTPError

_CHUNK = 1 << 16


class Stream:
    """Iterates over lines. Ends when the server ends it, the connection breaks or is silent, or `close()` was called.

    How it ended makes no difference to a watch: it goes on from the last version that it saw.
    """

    def __init__(self, response: urllib3.BaseHTTPResponse, on_end: Callable[[Stream], None]) -> None:
        self._response = response
        self._on_end = on_end
        self._lock = threading.Lock()
        self._open = True

    def lines(self) -> Iterator[bytes]:
        """Whole lines, none of them empty; a line that was cut off is dropped."""
        rest = b""
        try:
            while chunk := self._response.read1(_CHUNK):
                head, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    rest += chunk
                    continue
                yield from filter(None, (rest + head).split(b"\n"))
                rest = tail
        except (HTTPError, OSError, ValueError):
            return
        finally:
            with self._lock:
                self._open = False
                self._response.close()
            self._on_end(self)

    def close(self) -> None:
        """Ends the iteration in whatever thread it runs, also if that thread waits for a byte."""
        with self._lock:
            if self._open:
                with contextlib.suppress(HTTPError, OSError, RuntimeError, ValueError):
                    self._response.shutdown()
