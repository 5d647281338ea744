"""Watches on the real API server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hook.cluster.connection import Connection
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.cluster.watch import Event, EventType, Watch
from tests.cluster.cluster import Cluster

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True, frozenset({"list", "watch"}))
SECRET = ResourceType("", "v1", "Secret", "secrets", True, frozenset({"list", "watch"}))


class Follower:
    """A watch in a thread of its own, and what it saw."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.events: list[Event] = []
        self.errors: list[BaseException] = []
        self._changed = threading.Condition()
        self.thread = threading.Thread(target=self._follow)
        self.thread.start()

    def _follow(self) -> None:
        try:
            for event in self.watch:
                with self._changed:
                    self.events.append(event)
                    self._changed.notify_all()
        except BaseException as error:
            self.errors.append(error)

    def wait(self, holds: Callable[[list[Event]], bool], seconds: float = 15.0) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: holds(self.events), seconds)


@contextmanager
def following(watch: Watch) -> Iterator[Follower]:
    follower = Follower(watch)
    try:
        assert follower.wait(bool)
        yield follower
    finally:
        watch.close()
        follower.thread.join(10.0)
        assert not follower.thread.is_alive()


@pytest.fixture
def objects(shared_cluster: Cluster) -> Iterator[Objects]:
    connection = Connection.open(str(shared_cluster.kubeconfig))
    yield Objects(connection)
    connection.close()


def config_map(namespace: str, name: str, **data: str) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def seen(kind: EventType, name: str) -> Callable[[list[Event]], bool]:
    return lambda events: any(
        event.type is kind and event.object is not None and event.object["metadata"]["name"] == name for event in events
    )


def test_changes_arrive_as_they_happen(objects: Objects, namespace: str) -> None:
    with following(Watch(objects, CONFIG_MAP, namespace)) as follower:
        made = objects.apply(CONFIG_MAP, config_map(namespace, "a", k="1"), "m").obj["metadata"]
        assert follower.wait(seen(EventType.ADDED, "a"))
        changed = objects.apply(CONFIG_MAP, config_map(namespace, "a", k="2"), "m").obj["metadata"]
        assert follower.wait(seen(EventType.MODIFIED, "a"))
        objects.delete(
            CONFIG_MAP,
            namespace,
            "a",
            uid=made["uid"],
            resource_version=changed["resourceVersion"],
            propagation="Background",
        )
        assert follower.wait(seen(EventType.DELETED, "a"))

    assert follower.errors == []
    assert [event.type for event in follower.events].count(EventType.SYNC) == 1


def test_an_event_is_there_within_100_ms(objects: Objects, namespace: str) -> None:
    """The middle of several, since the machine has other work too."""
    delays = []
    with following(Watch(objects, CONFIG_MAP, namespace)) as follower:
        for number in range(9):
            name = f"c-{number}"
            objects.apply(CONFIG_MAP, config_map(namespace, name), "m")
            started = time.monotonic()
            assert follower.wait(seen(EventType.ADDED, name))
            delays.append(time.monotonic() - started)

    assert sorted(delays)[4] < 0.1


def test_a_watch_of_metadata_sees_no_secret_value(objects: Objects, namespace: str) -> None:
    with following(Watch(objects, SECRET, namespace, metadata_only=True)) as follower:
        objects.apply(SECRET, {**config_map(namespace, "a"), "kind": "Secret", "data": {"p": "aHVudGVyMg=="}}, "m")
        assert follower.wait(seen(EventType.ADDED, "a"))

    assert follower.events[-1].object is not None
    assert set(follower.events[-1].object) == {"apiVersion", "kind", "metadata"}


def test_one_object_can_be_watched_by_its_name(objects: Objects, namespace: str) -> None:
    with following(Watch(objects, CONFIG_MAP, namespace, field_selector="metadata.name=b")) as follower:
        for name in ("a", "b"):
            objects.apply(CONFIG_MAP, config_map(namespace, name), "m")
        assert follower.wait(seen(EventType.ADDED, "b"))

    assert not seen(EventType.ADDED, "a")(follower.events)


def arrived(name: str) -> Callable[[list[Event]], bool]:
    """As an event of its own, or with the whole state anew."""
    return lambda events: any(
        item is not None and item["metadata"]["name"] == name
        for event in events
        for item in (event.object, *event.items)
    )


def test_an_api_server_that_goes_and_comes_again(fresh_cluster: Cluster) -> None:
    """Nothing is missed by the watch, and a write that was on its way arrives."""
    connection = Connection.open(str(fresh_cluster.kubeconfig))
    objects = Objects(connection)
    with following(Watch(objects, CONFIG_MAP, "default")) as follower:
        for end in (fresh_cluster.stop_apiserver, fresh_cluster.kill_apiserver):
            end()
            body = config_map("default", end.__name__.replace("_", "-"))
            written = threading.Thread(target=objects.apply, args=(CONFIG_MAP, body, "m"))
            written.start()
            time.sleep(2.0)
            fresh_cluster.start_apiserver()
            written.join(60.0)
            assert not written.is_alive()
            assert follower.wait(arrived(body["metadata"]["name"]), 30.0)

    assert follower.errors == []
    assert connection.retries["unavailable"] > 0

    # What the new server has not seen itself is too old for it.
    late = Watch(objects, CONFIG_MAP, "default")
    late._version = "1"
    with following(late) as follower:
        assert follower.events[0].type is EventType.SYNC
    connection.close()
