"""The open connections of a pool, so that another thread can end what waits on them."""

from __future__ import annotations

import contextlib
import socket
import threading
import weakref
from typing import Any

import urllib3


class OpenConnections:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()

    def follow(self, pool: urllib3.PoolManager) -> urllib3.PoolManager:
        """The same pool; every connection that it makes from now on is known here for as long as it exists."""
        pool.pool_classes_by_scheme = {
            scheme: self._following(made) for scheme, made in pool.pool_classes_by_scheme.items()
        }
        return pool

    def cut(self) -> None:
        """Shuts all of them down: who waits for an answer gets none, and an idle one is replaced when it is needed."""
        with self._lock:
            known = list(self._known)
        for connection in known:
            if isinstance(connection.sock, socket.socket):
                with contextlib.suppress(OSError):
                    # The socket below TLS: that layer is in use by the thread that waits.
                    socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    def _following(self, pool_class: type[Any]) -> type[Any]:
        made: type[Any] = pool_class.ConnectionCls

        def connect(connection: Any) -> None:
            made.connect(connection)
            with self._lock:
                self._known.add(connection)

        following = type(made.__name__, (made,), {"connect": connect})
        return type(pool_class.__name__, (pool_class,), {"ConnectionCls": following})
