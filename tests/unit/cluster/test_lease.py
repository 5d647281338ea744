"""One handoff at a time, by this process's own clock alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hook.cluster.answers import ApiError, Cause
from hook.cluster.high_water import Mark, Superseded
from hook.cluster.jobs import JobRef
from hook.cluster.lease import Lease
from hook.cluster.objects import Objects
from hook.errors import LockedError, RightsMissing, Terminated
from tests.unit.cluster.leases import Store
from tests.unit.cluster.scripted import Reply, Request, Server, connect, eventually, serving, status

EARLY, LATE = "2026-01-01T09:00:00Z", "2026-01-01T11:00:00Z"


def job(name: str, created: str, uid: str = "") -> JobRef:
    return JobRef("shop", name, uid or f"uid-{name}", created)


def exists(store: Store, *jobs: JobRef) -> None:
    for each in jobs:
        store.jobs[each.name] = {"uid": each.uid, "creationTimestamp": each.created}


class Run:
    """One process that wants the Lease."""

    def __init__(self, server: Server, identity: str, owner: JobRef | None = None, **settings: Any) -> None:
        self.connection = connect(server, budget=0.2)
        self.lease = Lease(
            Objects(self.connection), "shop", "web", identity, job=owner, **{"seconds": 3, "renewal": 0.2, **settings}
        )

    def acquire(self, timeout: float = 5.0, on_wait: Callable[[str], None] = lambda _: None) -> Lease:
        return self.lease.acquire(timeout, on_wait)


@contextmanager
def stored() -> Iterator[tuple[Store, Server]]:
    store = Store()
    with serving(store) as server:
        yield store, server
        store.down = True


def held(store: Store) -> dict[str, Any]:
    assert store.lease is not None
    spec: dict[str, Any] = store.lease["spec"]
    return spec


def passing(lease: Lease) -> Iterator[float]:
    """The times at which the fence lets a request pass, until it raises."""
    while True:
        lease.check()
        yield time.monotonic()
        time.sleep(0.01)


# Taking it


def test_an_absent_lease_is_created() -> None:
    with stored() as (store, server), Run(server, "a").acquire():
        assert (held(store)["holderIdentity"], held(store)["leaseDurationSeconds"]) == ("a", 3)
        assert store.lease is not None
        assert store.lease["metadata"]["labels"] == {"installersets.io/component": "web"}


def test_a_released_lease_is_taken_at_once() -> None:
    with stored() as (store, server):
        store.put(identity="", seconds=600)
        with Run(server, "a").acquire(timeout=0.5):
            assert held(store)["leaseTransitions"] == 1


def test_a_lease_that_stands_still_for_its_duration_is_taken() -> None:
    with stored() as (store, server):
        store.put(identity="dead", seconds=1)
        started = time.monotonic()
        with Run(server, "a").acquire():
            assert time.monotonic() - started >= 1.0


def test_a_lease_that_moves_is_waited_for_and_its_holder_is_told() -> None:
    """Whatever its renewTime says: the clocks of others are never looked at."""
    waited: list[str] = []
    with stored() as (store, server):
        store.put(identity="alive", seconds=2)
        store.touch(renewTime="1999-01-01T00:00:00.000000Z")
        renewing = threading.Event()

        def renew() -> None:
            while not renewing.wait(0.2):
                store.touch()

        thread = threading.Thread(target=renew)
        thread.start()
        try:
            with pytest.raises(LockedError, match="held by alive"):
                Run(server, "a").acquire(timeout=4.0, on_wait=waited.append)
        finally:
            renewing.set()
            thread.join()

    assert waited == ["alive"]


def test_of_two_that_take_it_at_once_one_waits() -> None:
    with stored() as (store, server):
        runs = [Run(server, name, seconds=2) for name in ("a", "b", "c")]
        order: list[str] = []

        def work(run: Run) -> None:
            with run.acquire(timeout=20.0):
                order.append(held(store)["holderIdentity"])
                run.lease.check()

        threads = [threading.Thread(target=work, args=(run,)) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20.0)

    assert sorted(order) == ["a", "b", "c"]


def test_a_missing_namespace_is_for_the_caller() -> None:
    missing = Reply(404, status(404, "NotFound", name="shop", kind="namespaces"))

    def script(request: Request) -> Reply:
        return missing if request.method == "POST" else Store()(request)

    with serving(script) as server, pytest.raises(ApiError) as raised:
        Run(server, "a").acquire()

    assert raised.value.cause is Cause.NAMESPACE_MISSING


def test_a_take_whose_answer_was_lost_is_recognized() -> None:
    with stored() as (store, server):
        exists(store, job("j", EARLY))
        store.lose = 1
        with Run(server, "a", job("j", EARLY)).acquire(timeout=1.0) as lease:
            lease.check()


def test_sigterm_ends_the_wait() -> None:
    with stored() as (store, server):
        store.put(identity="other", seconds=600)
        run = Run(server, "a")
        threading.Timer(0.1, run.connection.stop.set).start()
        started = time.monotonic()
        with pytest.raises(Terminated):
            run.acquire(timeout=600.0)

    assert time.monotonic() - started < 2.0


# Holding it


def test_it_is_renewed_with_uid_and_version() -> None:
    with stored() as (store, server), Run(server, "a").acquire() as lease:
        first = store.version
        assert eventually(lambda: store.version > first + 2)
        lease.check()
        renewal = [request for request in server.requests if request.method == "PUT"][-1]

    assert renewal.body["metadata"]["uid"] == "lease-1"
    assert renewal.body["metadata"]["resourceVersion"]


def test_requests_of_a_holder_whose_renewals_fail_stop_in_time() -> None:
    """No request starts in the second half of the duration unless a renewal came; none at all after it."""
    with stored() as (store, server), Run(server, "a", seconds=2).acquire() as lease:
        store.down = True
        started = time.monotonic()
        passed = [started]
        with pytest.raises(LockedError, match="was not renewed for 2 s"):
            passed.extend(passing(lease))

        assert passed[-1] - started < 1.5
        assert 1.5 < time.monotonic() - started < 3.0


def test_a_holder_outlasts_a_short_outage() -> None:
    with stored() as (store, server), Run(server, "a", seconds=2).acquire() as lease:
        store.down = True
        time.sleep(0.7)
        store.down = False
        version = store.version
        assert eventually(lambda: store.version > version)
        lease.check()


def test_a_frozen_holder_sends_nothing_when_it_wakes() -> None:
    """Neither a request of a worker nor a renewal, which would find the Lease as it was."""
    now = [1000.0]
    with stored() as (_, server):
        run = Run(server, "a", seconds=30, renewal=0.2, clock=lambda: now[0])
        with run.acquire():
            now[0] += 31.0
            time.sleep(0.3)  # what was on its way has arrived
            sent = len(server.requests)
            with pytest.raises(LockedError):
                run.connection.request("GET", "/x")
            time.sleep(0.5)  # two renewals would be due
            assert len(server.requests) == sent

        assert len(server.requests) == sent


def test_a_lease_that_was_taken_by_another_is_lost() -> None:
    with stored() as (store, server), Run(server, "a").acquire() as lease:
        store.touch(holderIdentity="b")
        with pytest.raises(LockedError, match="was taken by b"):
            for _ in passing(lease):
                pass

        version = store.version

    assert store.version == version


def test_a_lease_that_was_deleted_is_lost_and_not_created_again() -> None:
    with stored() as (store, server), Run(server, "a").acquire() as lease:
        with store.lock:
            store.lease = None
        with pytest.raises(LockedError, match="was deleted"):
            for _ in passing(lease):
                pass

        assert store.lease is None


def forbidden(request: Request) -> Reply:
    verb = {"GET": "get", "PUT": "update"}[request.method]
    message = f'leases.coordination.k8s.io "handoff-web" is forbidden: User "u" cannot {verb} resource "leases"'
    return Reply(403, status(403, "Forbidden", message, name="handoff-web", kind="leases"))


def test_who_may_not_renew_it_is_told_so_at_once_with_the_right() -> None:
    """The first renewal writes the mark; its refusal is no reason to try for as long as the Lease lasts."""
    store = Store()

    def script(request: Request) -> Reply:
        return forbidden(request) if request.method == "PUT" else store(request)

    with serving(script) as server:
        started = time.monotonic()
        with pytest.raises(RightsMissing, match=r"shop/handoff-web cannot be renewed: .* cannot update resource"):
            Run(server, "a", seconds=30).acquire()
        assert time.monotonic() - started < 3.0


@pytest.mark.parametrize("right", ["update", "get"])
def test_a_right_that_is_taken_away_later_ends_the_run(right: str) -> None:
    """`get` is needed when a renewal collides; then as well nobody tells whether the Lease is still ours."""
    own, method = job("j", EARLY), {"update": "PUT", "get": "GET"}[right]
    store = Store()
    taken_away = threading.Event()

    def script(request: Request) -> Reply:
        refused = request.path.endswith("/leases/handoff-web") and request.method == method
        return forbidden(request) if refused and taken_away.is_set() else store(request)

    with serving(script) as server:
        exists(store, own)
        run = Run(server, "a", own, seconds=30)
        with run.acquire():
            taken_away.set()
            store.touch()
            assert run.connection.stop.wait(5.0)
            with pytest.raises(RightsMissing, match=f'cannot {right} resource "leases"'):
                run.connection.request("GET", "/x")


def test_a_renewal_whose_answer_was_lost_is_no_loss() -> None:
    with stored() as (store, server), Run(server, "a", seconds=4).acquire() as lease:
        store.lose = 1
        assert eventually(lambda: store.lose == 0)
        version = store.version
        assert eventually(lambda: store.version > version + 1, 10.0)
        lease.check()


def test_after_sigterm_it_is_not_renewed() -> None:
    with stored() as (store, server):
        run = Run(server, "a")
        with run.acquire():
            run.connection.stop.set()
            time.sleep(0.3)
            version = store.version
            time.sleep(0.5)
            assert store.version == version

        assert held(store)["holderIdentity"] == ""


# Giving it back


def test_a_released_lease_keeps_its_mark() -> None:
    with stored() as (store, server):
        exists(store, job("j", EARLY))
        with Run(server, "a", job("j", EARLY)).acquire():
            pass

        assert held(store)["holderIdentity"] == ""
        assert store.lease is not None
        mark = Mark.of(store.lease["metadata"])

    assert mark is not None
    assert (mark.created, mark.name) == (EARLY, "j")


def test_a_release_whose_version_was_moved_by_a_lost_renewal_is_tried_again() -> None:
    with stored() as (store, server):
        with Run(server, "a", renewal=60.0, seconds=120).acquire() as lease:
            store.touch()
            assert lease.release()

        assert held(store)["holderIdentity"] == ""


def test_a_lease_of_another_is_not_released() -> None:
    with stored() as (store, server):
        with Run(server, "a", renewal=60.0, seconds=120).acquire() as lease:
            store.touch(holderIdentity="b")
            assert not lease.release()

        assert held(store)["holderIdentity"] == "b"


def test_after_the_release_nothing_starts() -> None:
    with stored() as (_, server):
        run = Run(server, "a")
        with run.acquire():
            pass
        with pytest.raises(LockedError, match="given back"):
            run.connection.request("GET", "/x")


def test_a_deleted_lease_is_gone() -> None:
    with stored() as (store, server), Run(server, "a").acquire() as lease:
        assert lease.delete()
        assert store.lease is None


# The newest run wins


def test_an_older_job_is_superseded_and_changes_nothing() -> None:
    old, new = job("old", EARLY), job("new", LATE)
    with stored() as (store, server):
        exists(store, old, new)
        with Run(server, "a", new).acquire():
            pass
        version = store.version
        with pytest.raises(Superseded) as raised:
            Run(server, "b", old).acquire()

        assert store.version == version

    assert raised.value.mark.name == "new"
    assert raised.value.exit_code == 3


def test_an_older_job_does_not_wait_for_a_newer_one() -> None:
    old, new = job("old", EARLY), job("new", LATE)
    with stored() as (store, server):
        exists(store, old, new)
        store.put(identity="b", seconds=600, annotations=new.mark("g").annotations())
        with pytest.raises(Superseded):
            Run(server, "a", old).acquire(timeout=600.0)


def test_a_newer_job_takes_over_the_mark() -> None:
    old, new = job("old", EARLY), job("new", LATE)
    with stored() as (store, server):
        exists(store, old, new)
        with Run(server, "a", old).acquire():
            pass
        with Run(server, "b", new).acquire():
            assert store.lease is not None
            assert Mark.of(store.lease["metadata"]) == new.mark("")


def test_another_pod_of_the_same_job_goes_on() -> None:
    own = job("j", EARLY)
    with stored() as (store, server):
        exists(store, own)
        for identity in ("pod-1", "pod-2"):
            with Run(server, identity, own).acquire(timeout=1.0):
                pass


def test_a_mark_is_remembered_though_the_lease_goes() -> None:
    """`remove` of a newer run deletes the Lease while the older one waits for it."""
    old, new = job("old", EARLY), job("new", LATE, "z")
    with stored() as (store, server):
        exists(store, old)
        run = Run(server, "a", old)
        with pytest.raises(Superseded):
            run.lease.observe(new.mark("g"))
        with pytest.raises(Superseded):
            run.acquire()

        assert store.lease is None


def test_a_removal_is_remembered_though_the_lease_is_gone() -> None:
    """A pod of an older Job that comes late would install again what was removed."""
    old, newer = job("old", EARLY), job("newer", LATE)
    with stored() as (store, server):
        exists(store, old, newer)
        with Run(server, "a").acquire() as lease:
            lease.delete()
        with pytest.raises(Superseded, match="a run without a Job"):
            Run(server, "b", old).acquire()
        assert store.lease is None
        with Run(server, "c", newer).acquire():
            pass


def test_a_removal_that_was_too_quick_for_a_waiting_run_supersedes_it() -> None:
    """Between two looks at the Lease it was taken, released and deleted."""
    old, other = job("old", EARLY, "z"), job("other", EARLY, "a")
    with stored() as (store, server):
        exists(store, old, other)
        store.put(identity="x", seconds=600, annotations=other.mark("g").annotations())
        raised: list[BaseException] = []

        def wait() -> None:
            try:
                Run(server, "a", old).acquire(timeout=10.0)
            except Superseded as error:
                raised.append(error)

        waiter = threading.Thread(target=wait)
        waiter.start()
        assert eventually(lambda: len(server.requests) >= 2)
        with store.lock:
            store.lease = None
            store.events.append({"metadata": {"annotations": job("remover", LATE).mark("").annotations()}})
        waiter.join()

    assert len(raised) == 1


def test_a_removal_that_may_not_be_announced_is_done_all_the_same() -> None:
    store = Store()

    def script(request: Any) -> Reply:
        return Reply(403) if request.path.endswith("/events") else store(request)

    with serving(script) as server, Run(server, "a").acquire() as lease:
        assert lease.delete()
        assert store.lease is None


def test_a_newer_mark_on_a_set_supersedes_too() -> None:
    own = job("j", EARLY)
    with stored() as (store, server):
        exists(store, own)
        with Run(server, "a", own).acquire() as lease, pytest.raises(Superseded):
            lease.observe(job("new", LATE).mark("g"))


def test_a_run_without_a_job_takes_its_place_by_the_servers_time() -> None:
    with stored() as (store, server), Run(server, "a").acquire() as lease:
        assert lease.mark.created == "2026-01-01T10:00:07Z"
        assert store.lease is not None
        assert Mark.of(store.lease["metadata"]) == lease.mark


def test_a_run_without_a_job_supersedes_the_jobs_before_it() -> None:
    old = job("old", EARLY)
    with stored() as (store, server):
        exists(store, old)
        with Run(server, "a").acquire():
            pass
        with pytest.raises(Superseded, match="a run without a Job"):
            Run(server, "b", old).acquire()


@pytest.mark.parametrize(
    "state",
    [None, {"uid": "another", "creationTimestamp": EARLY}, {"uid": "uid-j", "deletionTimestamp": LATE}],
    ids=["gone", "replaced", "being deleted"],
)
def test_a_run_whose_job_is_no_more_does_not_begin(state: dict[str, str] | None) -> None:
    with stored() as (store, server):
        if state is not None:
            store.jobs["j"] = state
        with pytest.raises(Terminated, match="the Job shop/j"):
            Run(server, "a", job("j", EARLY)).acquire()

        assert store.lease is None


def test_a_job_that_is_deleted_ends_its_run() -> None:
    own = job("j", EARLY)
    with stored() as (store, server):
        exists(store, own)
        run = Run(server, "a", own)
        with run.acquire():
            store.jobs.clear()
            assert run.connection.stop.wait(5.0)
            with pytest.raises(Terminated, match="the Job shop/j"):
                run.connection.request("GET", "/x")


def test_a_job_that_cannot_be_looked_at_is_taken_to_exist() -> None:
    own = job("j", EARLY)
    store = Store()

    def script(request: Any) -> Reply:
        return Reply(403) if "/jobs/" in request.path else store(request)

    with serving(script) as server, Run(server, "a", own).acquire() as lease:
        lease.check()
