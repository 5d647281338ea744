"""What is sent, and what comes back."""

from __future__ import annotations

import socket
import time

from hook.cluster.connection import Connection
from tests.unit.cluster.scripted import Reply, Tokens, connect, serving


def test_the_authorization_header_arrives() -> None:
    with serving([Reply(body={})]) as server:
        connect(server, "t1").request("GET", "/api")

    assert server.requests[0].headers["authorization"] == "Bearer t1"


def test_query_and_body_arrive() -> None:
    with serving([Reply(body={})]) as server:
        connect(server).request(
            "PATCH", "/x", query={"a": "b c"}, body={"k": "ü"}, headers={"Content-Type": "application/apply-patch+yaml"}
        )

    request = server.requests[0]
    assert (request.query, request.body) == ({"a": "b c"}, {"k": "ü"})
    assert request.headers["content-type"] == "application/apply-patch+yaml"


def test_a_reset_is_an_answer_without_status_that_may_have_acted() -> None:
    with serving([Reply(reset=True)]) as server:
        answer = connect(server).request("PATCH", "/x", body={})

    assert (answer.status, answer.sent) == (0, True)
    assert answer.failure


def test_a_refused_connection_has_done_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    answer = Connection(Tokens(f"http://127.0.0.1:{port}")).request("PATCH", "/x", body={})

    assert (answer.status, answer.sent) == (0, False)


def test_a_body_that_was_cut_off_is_no_answer() -> None:
    with serving([Reply(body={"kind": "ConfigMap"}, cut=5)]) as server:
        assert connect(server).request("GET", "/x").status == 0


def test_a_dripping_body_ends_at_the_time_limit() -> None:
    started = time.monotonic()
    with serving([Reply(body="x" * 100, drip=0.1)]) as server:
        answer = connect(server).request("GET", "/x", timeout=0.5)

    assert answer.status == 0
    assert time.monotonic() - started < 3.0


def test_a_redirect_is_not_followed() -> None:
    """It would carry the token somewhere else."""
    with serving([Reply(302, headers={"Location": "/elsewhere"})]) as server:
        assert connect(server).request("GET", "/x").status == 302

    assert len(server.requests) == 1
