"""Reading and writing, where the network does its worst (what the API server itself does is tested on one)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hook.cluster.answers import ApiDenied, ApiError, Cause
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.errors import Refused, RightsMissing, Unreachable
from tests.unit.cluster.scripted import Reply, connect, serving, status

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True)
SECRET = ResourceType("", "v1", "Secret", "secrets", True)


def config_map(name: str = "a", **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": "shop", "name": name, "uid": "u-1", "resourceVersion": "7"},
        "data": data,
    }


def test_an_apply_names_its_manager_and_forces() -> None:
    with serving([Reply(201, config_map())]) as server:
        written = Objects(connect(server)).apply(CONFIG_MAP, config_map(), "handoff:shop:web")

    request = server.requests[0]
    assert written.created
    assert (request.method, request.path) == ("PATCH", "/api/v1/namespaces/shop/configmaps/a")
    assert (request.query["fieldManager"], request.query["force"]) == ("handoff:shop:web", "true")
    assert request.headers["content-type"] == "application/apply-patch+yaml"
    assert "dryRun" not in request.query


def test_a_dry_run_says_so() -> None:
    with serving([Reply(200, config_map())]) as server:
        Objects(connect(server)).apply(CONFIG_MAP, config_map(), "m", force=False, dry_run=True)

    assert (server.requests[0].query["dryRun"], server.requests[0].query["force"]) == ("All", "false")


def test_a_create_whose_answer_was_lost_is_recognized() -> None:
    replies = [Reply(reset=True), Reply(409, status(409, "AlreadyExists", name="a")), Reply(body=config_map(k="v"))]
    with serving(replies) as server:
        obj = Objects(connect(server)).create(CONFIG_MAP, config_map(k="v"))

    assert obj["metadata"]["uid"] == "u-1"


def test_a_create_that_somebody_else_was_faster_with_is_a_conflict() -> None:
    replies = [Reply(reset=True), Reply(409, status(409, "AlreadyExists", name="a")), Reply(body=config_map(k="other"))]
    with serving(replies) as server, pytest.raises(ApiError) as raised:
        Objects(connect(server)).create(CONFIG_MAP, config_map(k="v"))

    assert raised.value.cause is Cause.ALREADY_EXISTS


def test_a_conflict_is_not_looked_into_where_no_answer_was_lost() -> None:
    with serving([Reply(409, status(409, "AlreadyExists", name="a"))]) as server, pytest.raises(ApiError):
        Objects(connect(server)).create(CONFIG_MAP, config_map(k="v"))

    assert len(server.requests) == 1


def test_an_update_whose_answer_was_lost_is_recognized() -> None:
    stale = Reply(409, status(409, "Conflict", "the object has been modified", name="a"))
    with serving([Reply(504), stale, Reply(body=config_map(k="v"))]) as server:
        obj = Objects(connect(server)).update(CONFIG_MAP, config_map(k="v"))

    assert obj["data"] == {"k": "v"}


def test_an_update_that_another_write_came_before_is_stale() -> None:
    stale = Reply(409, status(409, "Conflict", "the object has been modified", name="a"))
    with serving([stale]) as server, pytest.raises(ApiError) as raised:
        Objects(connect(server)).update(CONFIG_MAP, config_map(k="v"))

    assert raised.value.cause is Cause.STALE


@pytest.mark.parametrize("missing", ["uid", "resourceVersion"])
def test_an_update_without_uid_or_version_is_not_sent(missing: str) -> None:
    obj = config_map()
    del obj["metadata"][missing]
    with serving([Reply()]) as server, pytest.raises(ValueError, match="without uid and resourceVersion"):
        Objects(connect(server)).update(CONFIG_MAP, obj)

    assert server.requests == []


def delete(objects: Objects, **more: str) -> object:
    read = {"uid": "u-1", "resource_version": "7", **more}
    return objects.delete(
        CONFIG_MAP,
        "shop",
        "a",
        uid=read["uid"],
        resource_version=read["resource_version"],
        propagation="Foreground",
    )


def test_a_delete_carries_its_preconditions() -> None:
    with serving([Reply(body={"kind": "Status", "status": "Success"})]) as server:
        assert delete(Objects(connect(server))) is None

    assert server.requests[0].body["preconditions"] == {"uid": "u-1", "resourceVersion": "7"}
    assert server.requests[0].body["propagationPolicy"] == "Foreground"


def test_a_delete_that_takes_its_time_returns_the_object() -> None:
    with serving([Reply(body=config_map())]) as server:
        assert delete(Objects(connect(server))) == config_map()


@pytest.mark.parametrize("missing", ["uid", "resource_version"])
def test_a_delete_without_preconditions_is_not_sent(missing: str) -> None:
    with serving([Reply()]) as server, pytest.raises(ValueError, match="needs the uid"):
        delete(Objects(connect(server)), **{missing: ""})

    assert server.requests == []


def test_a_delete_whose_answer_was_lost_is_done() -> None:
    with serving([Reply(reset=True), Reply(404, status(404, "NotFound", name="a", kind="configmaps"))]) as server:
        assert delete(Objects(connect(server))) is None


def test_a_delete_of_what_was_not_there_is_not_found() -> None:
    gone = Reply(404, status(404, "NotFound", name="a", kind="configmaps"))
    with serving([gone]) as server, pytest.raises(ApiError) as raised:
        delete(Objects(connect(server)))

    assert raised.value.cause is Cause.NOT_FOUND


@pytest.mark.parametrize(
    ("code", "kind", "exit_code"),
    [(403, RightsMissing, 5), (401, RightsMissing, 5), (422, Refused, 3), (503, Unreachable, 1), (409, ApiError, 1)],
)
def test_errors_carry_the_exit_code_of_their_cause(code: int, kind: type[Exception], exit_code: int) -> None:
    with serving([Reply(code)]) as server, pytest.raises(kind) as raised:
        Objects(connect(server, budget=0.01)).get(CONFIG_MAP, "shop", "a")

    assert isinstance(raised.value, ApiError)
    assert raised.value.exit_code == exit_code


def test_an_error_names_verb_object_cause_and_way_out() -> None:
    message = 'configmaps "a" is forbidden: User "u" cannot get resource "configmaps"'
    with serving([Reply(403, status(403, "Forbidden", message))]) as server, pytest.raises(ApiDenied) as raised:
        Objects(connect(server)).get(CONFIG_MAP, "shop", "a")

    text = str(raised.value)
    assert text.startswith("get ConfigMap shop/a: rights missing: ")
    assert "handoff rbac" in text


def test_an_error_about_a_secret_holds_no_value() -> None:
    body = status(500, "", 'unable to convert {"data":{"p":"aHVudGVyMg=="}}')
    secret = {**config_map(), "kind": "Secret", "data": {"p": "aHVudGVyMg=="}}
    with serving([Reply(500, body)]) as server, pytest.raises(ApiError) as raised:
        Objects(connect(server, budget=0.01)).apply(SECRET, secret, "m")

    assert "aHVudGVyMg" not in repr(raised.value) + str(raised.value)


@pytest.mark.parametrize("code", [400, 403, 404, 409, 413, 415, 422])
def test_a_permanent_refusal_is_asked_for_once(code: int) -> None:
    with serving([Reply(code, status(code, ""))]) as server, pytest.raises(ApiError):
        Objects(connect(server)).apply(CONFIG_MAP, config_map(), "m")

    assert len(server.requests) == 1


def test_warnings_of_the_server_are_passed_on() -> None:
    heard: list[str] = []
    warnings = {"Warning": '299 - "v1beta1 is deprecated, use \\"v1\\"", 299 - "unknown field"'}
    with serving([Reply(200, config_map(), headers=warnings)]) as server:
        connection = connect(server)
        connection.warn = heard.append
        Objects(connection).apply(CONFIG_MAP, config_map(), "m")

    assert heard == [
        'ConfigMap shop/a: v1beta1 is deprecated, use \\"v1\\"',
        "ConfigMap shop/a: unknown field",
    ]


@pytest.mark.parametrize(
    "write",
    [
        lambda objects: objects.apply(CONFIG_MAP, config_map(), "m"),
        lambda objects: objects.create(CONFIG_MAP, config_map()),
        lambda objects: objects.update(CONFIG_MAP, config_map()),
        lambda objects: objects.json_patch(CONFIG_MAP, "shop", "a", [], "m"),
        delete,
    ],
)
def test_a_write_is_bounded_on_the_server_too(write: Callable[[Objects], object]) -> None:
    """One that was started under the Lease must not act long after it."""
    with serving([Reply(200, config_map())]) as server:
        write(Objects(connect(server)))

    assert server.requests[0].query["timeout"] == "12s"


def test_a_dry_run_may_take_longer_than_a_write() -> None:
    """It changes nothing, and a busy server needs its time for a definition of a megabyte."""
    with serving([Reply(200, config_map())]) as server:
        Objects(connect(server)).apply(CONFIG_MAP, config_map(), "m", dry_run=True)

    assert server.requests[0].query["dryRun"] == "All"
    assert server.requests[0].query["timeout"] == "55s"
