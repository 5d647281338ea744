"""Watches: one LIST, then events from there, whatever becomes of the connection."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hook.cluster.answers import ApiDenied
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.cluster.watch import Event, EventType, Watch
from hook.errors import LockedError, Terminated
from tests.unit.cluster.scripted import Reply, Request, Server, connect, eventually, serving, status

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True, frozenset({"list", "watch"}))
LISTED_ONLY = ResourceType("", "v1", "ConfigMap", "configmaps", True, frozenset({"list"}))


def listing(*names: str, version: str = "10") -> Reply:
    items = [{"metadata": {"name": name, "resourceVersion": "1"}} for name in names]
    return Reply(body={"kind": "ConfigMapList", "metadata": {"resourceVersion": version}, "items": items})


def change(kind: str, name: str, version: str) -> dict[str, Any]:
    return {"type": kind, "object": {"kind": "ConfigMap", "metadata": {"name": name, "resourceVersion": version}}}


def bookmark(version: str) -> dict[str, Any]:
    return {"type": "BOOKMARK", "object": {"kind": "ConfigMap", "metadata": {"resourceVersion": version}}}


def script(lists: list[Reply], watches: list[Reply]) -> Callable[[Request], Reply]:
    """LISTs and watches in turn; the last of each again and again."""

    def answer(request: Request) -> Reply:
        replies = watches if "watch" in request.query else lists
        return replies.pop(0) if len(replies) > 1 else replies[0]

    return answer


def watches_of(server: Server) -> list[str]:
    return [request.query["resourceVersion"] for request in server.requests if "watch" in request.query]


def lists_of(server: Server) -> int:
    return sum("watch" not in request.query for request in server.requests)


def take(watch: Watch, count: int) -> list[Event]:
    """The next events, in this thread; fails rather than wait for ever."""
    timer = threading.Timer(10.0, watch.close)
    timer.start()
    events: list[Event] = []
    for event in watch:
        events.append(event)
        if len(events) == count:
            break
    timer.cancel()
    assert len(events) == count
    return events


def names(event: Event) -> list[str]:
    objects = event.items if event.type is EventType.SYNC else [event.object or {}]
    return [each["metadata"]["name"] for each in objects]


SILENT = Reply(lines=[], hold=60.0)


def test_the_state_comes_first_and_then_what_changes() -> None:
    events = [change("ADDED", "b", "11"), change("MODIFIED", "a", "12"), change("DELETED", "b", "13")]
    with serving(script([listing("a")], [Reply(lines=events, hold=60.0)])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP, "shop"), 4)

    assert [(event.type, names(event)) for event in taken] == [
        (EventType.SYNC, ["a"]),
        (EventType.ADDED, ["b"]),
        (EventType.MODIFIED, ["a"]),
        (EventType.DELETED, ["b"]),
    ]
    assert watches_of(server) == ["10"]
    assert server.requests[1].query["allowWatchBookmarks"] == "true"


def test_an_event_has_the_kind_that_it_is_about() -> None:
    with serving(script([listing()], [Reply(lines=[change("ADDED", "b", "11")], hold=60.0)])) as server:
        event = take(Watch(Objects(connect(server)), CONFIG_MAP), 2)[1]

    assert event.object is not None
    assert (event.object["apiVersion"], event.object["kind"]) == ("v1", "ConfigMap")


def test_a_watch_that_ends_goes_on_from_the_last_event() -> None:
    first = Reply(lines=[change("ADDED", "b", "11")])
    second = Reply(lines=[change("ADDED", "c", "12")], hold=60.0)
    with serving(script([listing()], [first, second])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 3)

    assert [names(event) for event in taken] == [[], ["b"], ["c"]]
    assert watches_of(server) == ["10", "11"]
    assert lists_of(server) == 1


def test_a_watch_that_ends_goes_on_from_the_last_bookmark() -> None:
    first = Reply(lines=[bookmark("40")])
    second = Reply(lines=[change("ADDED", "c", "41")], hold=60.0)
    with serving(script([listing()], [first, second])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 2)

    assert [event.type for event in taken] == [EventType.SYNC, EventType.ADDED]
    assert watches_of(server) == ["10", "40"]


@pytest.mark.parametrize(
    "gone",
    [
        Reply(410, status(410, "Expired")),
        Reply(504, status(504, "Timeout")),
        Reply(lines=[{"type": "ERROR", "object": status(410, "Expired", "too old resource version")}]),
        Reply(lines=[{"type": "ERROR", "object": status(500, "InternalError", "etcd")}]),
        Reply(lines=[{"type": "ERROR", "object": {"kind": "Status", "code": None}}]),
    ],
)
def test_a_version_that_is_gone_leads_to_another_list(gone: Reply) -> None:
    lists = [listing("a"), listing("z", version="90")]
    with serving(script(lists, [gone, SILENT])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 2)
        assert [names(event) for event in taken] == [["a"], ["z"]]


@pytest.mark.parametrize(
    "fault", [Reply(reset=True), Reply(503), Reply(429), Reply(lines=["no json"]), Reply(lines=["7"])]
)
def test_a_broken_connection_costs_no_list(fault: Reply) -> None:
    with serving(script([listing()], [fault, Reply(lines=[change("ADDED", "c", "12")], hold=60.0)])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 2)

    assert names(taken[1]) == ["c"]
    assert watches_of(server) == ["10", "10"]
    assert lists_of(server) == 1


def test_a_silent_connection_is_given_up() -> None:
    with serving(script([listing()], [SILENT, Reply(lines=[change("ADDED", "c", "12")], hold=60.0)])) as server:
        started = time.monotonic()
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP, silence=0.2), 2)

    assert names(taken[1]) == ["c"]
    assert time.monotonic() - started < 3.0


def test_empty_lines_are_no_events() -> None:
    with serving(script([listing()], [Reply(lines=["", "", change("ADDED", "b", "11")], hold=60.0)])) as server:
        assert names(take(Watch(Objects(connect(server)), CONFIG_MAP), 2)[1]) == ["b"]


def test_an_event_larger_than_a_read_is_whole() -> None:
    big = change("ADDED", "b", "11")
    big["object"]["data"] = {"k": "x" * 500_000}
    with serving(script([listing()], [Reply(lines=[big, change("ADDED", "c", "12")], hold=60.0)])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 3)

    assert taken[1].object is not None
    assert len(taken[1].object["data"]["k"]) == 500_000
    assert names(taken[2]) == ["c"]


@pytest.mark.parametrize("code", [401, 403])
def test_missing_rights_are_raised(code: int) -> None:
    refusal = Reply(code, status(code, "Forbidden", 'User "u" cannot watch resource "configmaps"'))
    with serving(script([listing()], [refusal])) as server, pytest.raises(ApiDenied, match="watch ConfigMap"):
        for _ in Watch(Objects(connect(server)), CONFIG_MAP):
            pass


def test_a_kind_that_cannot_be_watched_is_listed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hook.cluster.watch.POLL", 0.01)
    with serving(script([listing("a"), listing("b")], [SILENT])) as server:
        taken = take(Watch(Objects(connect(server)), LISTED_ONLY), 2)

    assert [names(event) for event in taken] == [["a"], ["b"]]
    assert watches_of(server) == []


def test_a_server_that_refuses_the_watch_is_listed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hook.cluster.watch.POLL", 0.01)
    with serving(script([listing("a"), listing("b")], [Reply(405)])) as server:
        taken = take(Watch(Objects(connect(server)), CONFIG_MAP), 2)

    assert [names(event) for event in taken] == [["a"], ["b"]]


def following(watch: Watch) -> tuple[threading.Thread, list[Event], list[BaseException]]:
    events: list[Event] = []
    errors: list[BaseException] = []

    def follow() -> None:
        try:
            events.extend(iter(watch))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=follow)
    thread.start()
    return thread, events, errors


def test_close_ends_a_watch_that_waits_for_a_byte() -> None:
    with serving(script([listing()], [SILENT])) as server:
        watch = Watch(Objects(connect(server)), CONFIG_MAP)
        thread, _, errors = following(watch)
        assert eventually(lambda: len(watches_of(server)) == 1)
        started = time.monotonic()
        watch.close()
        thread.join(5.0)

    assert time.monotonic() - started < 0.5
    assert errors == []


def test_closing_the_connection_ends_all_watches() -> None:
    with serving(script([listing()], [SILENT])) as server:
        connection = connect(server)
        thread, _, errors = following(Watch(Objects(connection), CONFIG_MAP))
        assert eventually(lambda: len(watches_of(server)) == 1)
        connection.stop.set()
        connection.close()
        thread.join(5.0)

    assert not thread.is_alive()
    assert [type(error) for error in errors] in ([], [Terminated])


def test_an_outage_is_told_and_outlasted() -> None:
    down = threading.Event()

    def answer(request: Request) -> Reply:
        if down.is_set():
            return Reply(503)
        return Reply(lines=[], hold=0.05) if "watch" in request.query else listing("a")

    with serving(answer) as server:
        watch = Watch(Objects(connect(server, budget=0.05)), CONFIG_MAP)
        thread, _, errors = following(watch)
        assert eventually(lambda: len(watches_of(server)) >= 1)
        down.set()
        assert eventually(lambda: watch.trouble is not None and "unavailable" in watch.trouble)
        down.clear()
        seen = len(server.requests)
        assert eventually(lambda: len(server.requests) > seen + 1, 10.0)
        watch.close()
        thread.join(10.0)

    assert errors == []


def test_a_watch_that_always_ends_at_once_is_paced() -> None:
    with serving(script([listing()], [Reply(lines=[])])) as server:
        watch = Watch(Objects(connect(server)), CONFIG_MAP)
        thread, _, _ = following(watch)
        time.sleep(1.0)
        watch.close()
        thread.join(10.0)

    assert len(watches_of(server)) < 8


def test_the_fence_ends_a_watch() -> None:
    def fence() -> None:
        raise LockedError("lost")

    with serving(script([listing()], [Reply(lines=[])])) as server:
        connection = connect(server)
        iterator: Iterator[Event] = iter(Watch(Objects(connection), CONFIG_MAP))
        next(iterator)
        connection.fence = fence
        with pytest.raises(LockedError):
            next(iterator)


def test_memory_stays_flat_over_many_events() -> None:
    """An hour of waiting, compressed: twenty thousand events over a hundred connections."""
    burst = [change("MODIFIED", "a", str(number)) for number in range(100, 300)]
    replies = [Reply(lines=burst) for _ in range(100)]
    with serving(script([listing()], [*replies, SILENT])) as server:
        watch = Watch(Objects(connect(server)), CONFIG_MAP)
        tracemalloc.start()
        first = 0
        for seen, _ in enumerate(watch, 1):
            if seen == 2_000:
                server.requests.clear()
                first = tracemalloc.get_traced_memory()[0]
            if seen == 20_001:
                break
        server.requests.clear()
        grown = tracemalloc.get_traced_memory()[0] - first
        tracemalloc.stop()

    assert grown < 1_000_000
