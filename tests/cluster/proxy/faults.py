"""What can go wrong between a client and an API server, each as a `Fault` for `Proxy.on`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.cluster.proxy.exchange import Exchange, Fault


def answer(status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> Fault:
    """The server never sees the request; the client is answered with a status code and JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body if body is not None else {}).encode()
    media_type = {} if isinstance(body, bytes) else {"Content-Type": "application/json"}
    return lambda exchange: exchange.respond(status, data, {**media_type, **(headers or {})})


def status(code: int, reason: str, message: str, headers: Mapping[str, str] | None = None) -> Fault:
    """As `answer`, with a Status object as API servers send it."""
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
    return answer(code, {**body, "metadata": {}, "message": message}, headers)


def refused() -> Fault:
    """The server never sees the request; the client's connection is reset."""
    return Exchange.reset


def lost_answer() -> Fault:
    """The server does what it was asked for; the client's connection is reset before it learns of that."""

    def fault(exchange: Exchange) -> None:
        exchange.forward()
        exchange.reset()

    return fault


def late(seconds: float) -> Fault:
    """The request is passed on only after a while."""

    def fault(exchange: Exchange) -> None:
        time.sleep(seconds)
        exchange.relay()

    return fault


def late_answer(seconds: float) -> Fault:
    """The server acts at once, and the answer comes only after a while."""

    def fault(exchange: Exchange) -> None:
        response = exchange.forward()
        time.sleep(seconds)
        exchange.respond(response.status, response.body, response.headers)

    return fault


def rewritten(change: Callable[[Any], Any]) -> Fault:
    """The server acts; the JSON of its answer comes as `change` makes it (which may alter it in place or return)."""

    def fault(exchange: Exchange) -> None:
        response = exchange.forward()
        body = json.loads(response.body)
        changed = change(body)
        exchange.respond(response.status, json.dumps(body if changed is None else changed).encode(), response.headers)

    return fault


def cut_body(size: int) -> Fault:
    """The server acts; of its answer's body only `size` bytes come through before the connection ends."""

    def fault(exchange: Exchange) -> None:
        response = exchange.forward()
        exchange.respond(response.status, response.body, response.headers, cut=size)

    return fault
