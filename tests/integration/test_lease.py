"""The Lease on the real API server, with processes that are frozen and killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hook.cluster.answers import ApiError, Cause
from hook.cluster.connection import Connection
from hook.cluster.high_water import Mark, Superseded
from hook.cluster.jobs import own_job
from hook.cluster.lease import Lease
from hook.cluster.objects import Objects
from hook.cluster.resource_type import JOB, LEASE, ResourceType
from hook.errors import LockedError, Terminated
from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True)

# Takes the Lease of 3 s and writes for as long as it may; the number that it wrote last is what it prints.
WORKER = """
    import sys, time
    from hook.cluster.connection import Connection
    from hook.cluster.lease import Lease
    from hook.cluster.objects import Objects
    from hook.cluster.resource_type import ResourceType
    from hook.errors import LockedError

    kubeconfig, namespace, identity = sys.argv[1:]
    objects = Objects(Connection.open(kubeconfig))
    lease = Lease(objects, namespace, "web", identity, seconds=3, renewal=1.0).acquire(60.0)
    config_map = ResourceType("", "v1", "ConfigMap", "configmaps", True)
    number = 0
    try:
        while True:
            number += 1
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": namespace, "name": "written"},
                    "data": {identity: str(number)}}
            objects.apply(config_map, body, identity)
            print(number, flush=True)
            time.sleep(0.05)
    except LockedError as error:
        print(error, flush=True)
        sys.exit(error.exit_code)
"""


@pytest.fixture
def connect(shared_cluster: Cluster) -> Iterator[Callable[[], Objects]]:
    """A new process's view of the cluster, as administrator."""
    connections: list[Connection] = []

    def new() -> Objects:
        connections.append(Connection.open(str(shared_cluster.kubeconfig)))
        return Objects(connections[-1])

    yield new
    for connection in connections:
        connection.close()


def lease_of(objects: Objects, namespace: str) -> dict[str, Any]:
    return objects.get(LEASE, namespace, "handoff-web")


def short(objects: Objects, namespace: str, identity: str, **more: Any) -> Lease:
    return Lease(objects, namespace, "web", identity, seconds=3, renewal=1.0, **more)


@contextmanager
def working(cluster: Cluster, namespace: str, identity: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the Lease and has written at least once."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORKER), str(cluster.kubeconfig), namespace, identity],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        yield process
    finally:
        process.kill()
        process.wait()


def written(objects: Objects, namespace: str) -> dict[str, str]:
    data: dict[str, str] = objects.get(CONFIG_MAP, namespace, "written")["data"]
    return data


def job(objects: Objects, namespace: str, name: str) -> dict[str, Any]:
    container = {"name": "c", "image": "i"}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"namespace": namespace, "name": name},
        "spec": {
            "suspend": True,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
        },
    }
    metadata: dict[str, Any] = objects.create(JOB, body)["metadata"]
    return metadata


def test_it_is_taken_renewed_and_given_back(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    with short(objects, namespace, "a").acquire(5.0) as lease:
        first = lease_of(objects, namespace)
        time.sleep(2.5)
        lease.check()
        renewed = lease_of(objects, namespace)
        assert renewed["metadata"]["uid"] == first["metadata"]["uid"]
        assert renewed["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]
        assert renewed["spec"]["holderIdentity"] == "a"

    released = lease_of(connect(), namespace)
    assert not released["spec"].get("holderIdentity")
    assert Mark.of(released["metadata"]) == lease.mark


def test_three_at_once_hold_it_in_turn(connect: Callable[[], Objects], namespace: str) -> None:
    holders: list[str] = []
    inside = threading.Lock()
    overlaps: list[str] = []

    def work(identity: str) -> None:
        with short(connect(), namespace, identity).acquire(60.0):
            if not inside.acquire(blocking=False):
                overlaps.append(identity)
                return
            holders.append(identity)
            time.sleep(0.2)
            inside.release()

    threads = [threading.Thread(target=work, args=(identity,)) for identity in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90.0)

    assert sorted(holders) == ["a", "b", "c"]
    assert overlaps == []


def test_who_holds_it_is_told(shared_cluster: Cluster, connect: Callable[[], Objects], namespace: str) -> None:
    waited: list[str] = []
    with working(shared_cluster, namespace, "busy"):
        started = time.monotonic()
        with pytest.raises(LockedError, match="held by busy"):
            short(connect(), namespace, "b").acquire(4.0, waited.append)

    assert waited == ["busy"]
    assert 3.5 < time.monotonic() - started < 8.0


def test_a_killed_holder_is_followed_after_its_duration(
    shared_cluster: Cluster, connect: Callable[[], Objects], namespace: str
) -> None:
    with working(shared_cluster, namespace, "killed") as process:
        process.kill()
        started = time.monotonic()
        with short(connect(), namespace, "b").acquire(20.0):
            assert 2.0 < time.monotonic() - started < 8.0


def test_a_frozen_holder_writes_nothing_after_it_wakes(
    shared_cluster: Cluster, connect: Callable[[], Objects], namespace: str
) -> None:
    objects = connect()
    with working(shared_cluster, namespace, "frozen") as process:
        process.send_signal(signal.SIGSTOP)
        with short(objects, namespace, "b").acquire(20.0) as lease:
            before = written(objects, namespace)
            version = lease_of(objects, namespace)["metadata"]["resourceVersion"]
            process.send_signal(signal.SIGCONT)
            assert process.wait(10.0) == LockedError.exit_code
            lease.check()
            after = written(objects, namespace)
        assert process.stdout is not None
        last = process.stdout.read().strip().splitlines()[-1]

    # What was on its way when it froze may arrive (one write), and nothing else.
    assert int(after["frozen"]) <= int(before["frozen"]) + 1
    assert "Lease" in last
    assert version


def test_a_frozen_holder_that_nobody_followed_stops_too(
    shared_cluster: Cluster, connect: Callable[[], Objects], namespace: str
) -> None:
    objects = connect()
    with working(shared_cluster, namespace, "frozen") as process:
        process.send_signal(signal.SIGSTOP)
        time.sleep(4.0)
        version = lease_of(objects, namespace)["metadata"]["resourceVersion"]
        process.send_signal(signal.SIGCONT)
        assert process.wait(10.0) == LockedError.exit_code

    assert lease_of(objects, namespace)["metadata"]["resourceVersion"] == version


def test_a_missing_namespace_is_for_the_caller(connect: Callable[[], Objects]) -> None:
    with pytest.raises(ApiError) as raised:
        short(connect(), "nowhere", "a").acquire(5.0)

    assert raised.value.cause is Cause.NAMESPACE_MISSING


def test_a_deleted_lease_leaves_nothing(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    with short(objects, namespace, "a").acquire(5.0) as lease:
        assert lease.delete()

    with pytest.raises(ApiError) as raised:
        lease_of(connect(), namespace)
    assert raised.value.cause is Cause.NOT_FOUND


def test_a_job_of_an_earlier_second_is_superseded(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    old = job(objects, namespace, "old")
    time.sleep(1.1)  # creation times have a resolution of one second
    new = job(objects, namespace, "new")
    with short(objects, namespace, "n", job=own_job(objects, namespace, "new", new["uid"])).acquire(5.0):
        pass
    other = connect()
    version = lease_of(other, namespace)["metadata"]["resourceVersion"]
    with pytest.raises(Superseded, match="new"):
        short(other, namespace, "o", job=own_job(other, namespace, "old", old["uid"])).acquire(5.0)

    assert lease_of(other, namespace)["metadata"]["resourceVersion"] == version


def test_of_two_jobs_of_one_second_one_wins(connect: Callable[[], Objects], namespace: str) -> None:
    """Whichever comes first: the loser never changes anything after the winner."""
    objects = connect()
    while True:
        first, second = job(objects, namespace, "first"), job(objects, namespace, "second")
        if first["creationTimestamp"] == second["creationTimestamp"]:
            break
        for name in ("first", "second"):
            live = objects.get(JOB, namespace, name)["metadata"]
            objects.delete(
                JOB,
                namespace,
                name,
                uid=live["uid"],
                resource_version=live["resourceVersion"],
                propagation="Background",
            )
    ended: list[str] = []
    for name in ("first", "second", "first"):
        uid = (first if name == "first" else second)["uid"]
        mine = connect()
        try:
            with short(mine, namespace, name, job=own_job(mine, namespace, name, uid)).acquire(10.0):
                ended.append(name)
        except Superseded:
            ended.append(f"no {name}")

    winner = max(("first", first["uid"]), ("second", second["uid"]), key=lambda each: each[1])[0]
    assert ended == (["first", "second", "no first"] if winner == "second" else ["first", "no second", "first"])


def test_a_job_that_is_deleted_ends_its_run(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    uid = job(objects, namespace, "j")["uid"]
    with short(objects, namespace, "a", job=own_job(objects, namespace, "j", uid)).acquire(5.0):
        live = connect().get(JOB, namespace, "j")["metadata"]
        connect().delete(
            JOB, namespace, "j", uid=uid, resource_version=live["resourceVersion"], propagation="Background"
        )
        assert objects.connection.stop.wait(10.0)
        with pytest.raises(Terminated, match="the Job"):
            objects.get(LEASE, namespace, "handoff-web")

    assert not lease_of(connect(), namespace)["spec"].get("holderIdentity")


def test_a_pod_whose_job_was_replaced_does_not_begin(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    job(objects, namespace, "j")
    with pytest.raises(Terminated, match="gone, replaced"):
        own_job(objects, namespace, "j", "00000000-0000-0000-0000-000000000000")


def test_a_run_without_a_job_carries_the_servers_time(connect: Callable[[], Objects], namespace: str) -> None:
    objects = connect()
    with short(objects, namespace, "a").acquire(5.0) as lease:
        live = lease_of(objects, namespace)
        mark = Mark.of(live["metadata"])

    assert mark == lease.mark
    assert mark is not None
    assert abs(mark.instant.timestamp() - time.time()) < 60.0


@pytest.mark.parametrize("shift", ["+5 minutes", "-5 minutes"])
def test_the_clocks_of_two_machines_do_not_matter(
    shared_cluster: Cluster, connect: Callable[[], Objects], namespace: str, shift: str, tmp_path: Path
) -> None:
    """A living holder whose renewTime is far off is not followed."""
    objects = connect()
    with short(objects, namespace, "a").acquire(5.0):
        stopped = threading.Event()
        sign = 1 if shift.startswith("+") else -1

        def disguise() -> None:
            """renewTime as a clock 5 minutes off would write it, beside the renewals."""
            other = connect()
            while not stopped.wait(0.1):
                moment = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime(time.time() + sign * 300))
                patch = [{"op": "replace", "path": "/spec/renewTime", "value": moment}]
                other.json_patch(LEASE, namespace, "handoff-web", patch, "clock")

        thread = threading.Thread(target=disguise)
        thread.start()
        try:
            with pytest.raises(LockedError):
                short(connect(), namespace, "b").acquire(5.0)
        finally:
            stopped.set()
            thread.join()
