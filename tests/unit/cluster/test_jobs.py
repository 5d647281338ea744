"""The Job that this process runs in."""

from __future__ import annotations

import pytest

from hook.cluster.answers import ApiError, Cause
from hook.cluster.high_water import Mark
from hook.cluster.jobs import JobRef, exists, own_job
from hook.cluster.objects import Objects
from hook.errors import Terminated
from tests.unit.cluster.scripted import Reply, connect, serving, status

CREATED = "2026-01-01T09:00:00Z"


def job(**metadata: str) -> Reply:
    return Reply(body={"kind": "Job", "metadata": {"name": "j", "uid": "u", "creationTimestamp": CREATED, **metadata}})


GONE = Reply(404, status(404, "NotFound", name="j", kind="jobs"))


def test_the_own_job_has_a_creation_time() -> None:
    with serving([job()]) as server:
        assert own_job(Objects(connect(server)), "shop", "j", "u") == JobRef("shop", "j", "u", CREATED)


@pytest.mark.parametrize(
    "reply", [GONE, job(uid="another"), job(deletionTimestamp=CREATED)], ids=["gone", "replaced", "being deleted"]
)
def test_a_pod_that_outlived_its_job_does_not_work(reply: Reply) -> None:
    with serving([reply]) as server:
        objects = Objects(connect(server))
        with pytest.raises(Terminated):
            own_job(objects, "shop", "j", "u")
        assert exists(objects, "shop", "j", "u") is False


def test_a_job_that_may_not_be_read_is_an_error_at_the_start() -> None:
    """Without its creation time the run has no place among the others."""
    with serving([Reply(403)]) as server, pytest.raises(ApiError) as raised:
        own_job(Objects(connect(server)), "shop", "j", "u")

    assert raised.value.cause is Cause.FORBIDDEN


def test_later_it_counts_as_there() -> None:
    with serving([Reply(503)]) as server:
        assert exists(Objects(connect(server, budget=0.01)), "shop", "j", "u", urgent=True) is None

    assert len(server.requests) == 1


def test_a_mark_names_the_job_and_the_generation() -> None:
    assert JobRef("shop", "j", "u", CREATED).mark("g") == Mark(CREATED, "u", "shop", "j", "g")
