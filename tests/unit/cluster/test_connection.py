"""One request: what is sent, what comes back, and when none may start."""

from __future__ import annotations

import threading
import time

import pytest

from hook.cluster.answers import Cause
from hook.cluster.connection import Connection
from hook.errors import LockedError, Terminated
from tests.unit.cluster.scripted import Reply, Request, connect, serving


def test_a_refused_token_is_read_again() -> None:
    with serving(lambda request: Reply(200 if request.headers["authorization"] == "Bearer new" else 401)) as server:
        answer = connect(server, "old", "new").request("GET", "/api")

    assert answer.status == 200
    assert len(server.requests) == 2


def test_a_token_that_stays_refused_is_tried_once_more_only() -> None:
    with serving([Reply(401)]) as server:
        assert connect(server, "old").request("GET", "/api").status == 401

    assert len(server.requests) == 2


def test_after_sigterm_no_request_starts() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.stop.set()
        with pytest.raises(Terminated, match="SIGTERM"):
            connection.request("GET", "/x")

    assert server.requests == []


def test_last_words_may_still_be_sent() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.stop.set()
        with connection.last_words():
            assert connection.request("PUT", "/x", body={}).status == 200
        with pytest.raises(Terminated):
            connection.request("GET", "/x")


def test_last_words_are_those_of_one_thread() -> None:
    """The workers stay silent while the main thread writes the status."""
    raised: list[BaseException] = []

    def work(connection: Connection) -> None:
        try:
            connection.request("GET", "/x")
        except Terminated as error:
            raised.append(error)

    with serving([Reply()]) as server:
        connection = connect(server)
        connection.stop.set()
        with connection.last_words():
            worker = threading.Thread(target=work, args=(connection,))
            worker.start()
            worker.join()

    assert len(raised) == 1


def test_last_words_end_with_their_time() -> None:
    with serving([Reply(body="x" * 100, drip=1.0)]) as server:
        connection = connect(server)
        connection.stop.set()
        started = time.monotonic()
        with connection.last_words(0.4):
            assert connection.request("PUT", "/x", body={}).status == 0
            with pytest.raises(Terminated, match="no time left"):
                connection.request("PUT", "/x", body={})

    assert time.monotonic() - started < 2.0


def test_after_sigterm_all_last_words_share_one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The status of a set, then the Lease: not four seconds for each."""
    monkeypatch.setattr("hook.cluster.connection._FAREWELL", 0.3)
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.end()
        with connection.last_words(600.0):
            connection.request("PUT", "/status", body={})
        time.sleep(0.35)
        with connection.last_words(600.0), pytest.raises(Terminated, match="no time left"):
            connection.request("PUT", "/lease", body={})


@pytest.mark.parametrize(("method", "cut_off"), [("GET", False), ("PATCH", True)])
def test_after_sigterm_a_server_that_does_not_answer_holds_nobody_up(method: str, cut_off: bool) -> None:
    """What became of a write is not known then."""
    answered = threading.Event()

    def script(_: Request) -> Reply:
        answered.wait(10.0)
        return Reply()

    with serving(script) as server:
        connection = connect(server)
        threading.Timer(0.1, connection.end, kwargs={"grace": 0.2}).start()
        started = time.monotonic()
        answer = connection.request(method, "/slow", body={} if method == "PATCH" else None)
        answered.set()

    assert (answer.status, connection.cut_off) == (0, cut_off)
    assert time.monotonic() - started < 3.0


def test_after_sigterm_a_body_that_does_not_end_holds_nobody_up() -> None:
    with serving([Reply(body="x" * 100, drip=0.1)]) as server:
        connection = connect(server)
        threading.Timer(0.1, connection.end, kwargs={"grace": 0.2}).start()
        started = time.monotonic()
        assert connection.request("GET", "/slow").status == 0

    assert time.monotonic() - started < 3.0


def test_last_words_are_not_cut_off() -> None:
    with serving([Reply(body="x" * 5, drip=0.1)]) as server:
        connection = connect(server)
        connection.end(grace=0.2)
        with connection.last_words():
            assert connection.request("PUT", "/status", body={}).status == 200

    assert not connection.cut_off


def test_the_fence_holds_every_request_but_the_urgent_ones() -> None:
    def fence() -> None:
        raise LockedError("lost")

    with serving([Reply()]) as server:
        connection = connect(server)
        connection.fence = fence
        with pytest.raises(LockedError):
            connection.request("GET", "/x")
        assert connection.request("PUT", "/lease", body={}, urgent=True).status == 200

    assert [request.path for request in server.requests] == ["/lease"]


def test_a_throttle_holds_every_request_but_the_urgent_ones() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.retry.throttle.hold(0.5)
        started = time.monotonic()
        connection.request("PUT", "/lease", body={}, urgent=True)
        assert time.monotonic() - started < 0.4
        connection.request("GET", "/x")

    assert time.monotonic() - started >= 0.5


def test_a_pause_ends_with_sigterm() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        threading.Timer(0.05, connection.stop.set).start()
        with pytest.raises(Terminated):
            connection.pause(600.0)


def test_an_end_for_another_reason_is_named() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.end("the Job is gone")
        with pytest.raises(Terminated, match="the Job is gone"):
            connection.check_stop()


def test_counts_are_kept() -> None:
    with serving([Reply()]) as server:
        connection = connect(server)
        connection.count_request("get")
        connection.count_retry(Cause.THROTTLED)

    assert connection.requests == {"get": 1}
    assert connection.retries == {"too many requests": 1}
