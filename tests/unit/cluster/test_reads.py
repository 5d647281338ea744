"""Reading, where the network does its worst (what the API server itself does is tested on one)."""

from __future__ import annotations

from typing import Any

import pytest

from hook.cluster.answers import ApiUnreachable
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from tests.unit.cluster.scripted import Reply, Request, connect, serving, status

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True)
SECRET = ResourceType("", "v1", "Secret", "secrets", True)


def config_map(name: str = "a", **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": name}, "data": data}


def page(*names: str, more: str = "", version: str = "50") -> Reply:
    items = [{"metadata": {"name": name, "namespace": "shop"}} for name in names]
    return Reply(
        body={"kind": "ConfigMapList", "metadata": {"resourceVersion": version, "continue": more}, "items": items}
    )


def test_a_read_survives_a_reset_a_cut_and_an_outage() -> None:
    replies = [
        Reply(reset=True),
        Reply(503),
        Reply(body=config_map(), cut=9),
        Reply(body="<html/>"),
        Reply(body=config_map(k="v")),
    ]
    with serving(replies) as server:
        connection = connect(server)
        obj = Objects(connection).get(CONFIG_MAP, "shop", "a")

    assert obj["data"] == {"k": "v"}
    assert connection.retries == {"unavailable": 4}


def test_another_object_than_the_one_asked_for_is_no_answer() -> None:
    with serving([Reply(body=config_map("b"))]) as server, pytest.raises(ApiUnreachable, match="not what was asked"):
        Objects(connect(server, budget=0.01)).get(CONFIG_MAP, "shop", "a")


def test_only_metadata_is_asked_for_and_kept() -> None:
    with serving([Reply(body=config_map(k="v"))]) as server:
        obj = Objects(connect(server)).get(SECRET, "shop", "a", metadata_only=True)

    assert set(obj) == {"apiVersion", "kind", "metadata"}
    assert "PartialObjectMetadata" in server.requests[0].headers["accept"]


def test_a_list_is_read_in_pages() -> None:
    with serving([page("a", "b", more="next"), page("c")]) as server:
        listing = Objects(connect(server)).list(CONFIG_MAP, "shop", label_selector="x=y")

    assert [item["metadata"]["name"] for item in listing.items] == ["a", "b", "c"]
    assert listing.items[0]["kind"] == "ConfigMap"
    assert listing.resource_version == "50"
    assert server.requests[1].query == {"labelSelector": "x=y", "limit": "500", "continue": "next"}


def test_a_list_without_items_is_empty() -> None:
    body = {"kind": "ConfigMapList", "metadata": {"resourceVersion": "1"}, "items": None}
    with serving([Reply(body=body)]) as server:
        assert Objects(connect(server)).list(CONFIG_MAP).items == []


def test_a_list_whose_pages_expired_starts_over() -> None:
    expired = Reply(410, status(410, "Expired"))
    with serving([page("a", more="next"), expired, page("a", "b")]) as server:
        listing = Objects(connect(server)).list(CONFIG_MAP, "shop")

    assert [item["metadata"]["name"] for item in listing.items] == ["a", "b"]


def test_a_list_whose_pages_expire_again_and_again_is_read_at_once() -> None:
    def script(request: Request) -> Reply:
        if "continue" in request.query:
            return Reply(410, status(410, "Expired"))
        return page("a", more="next") if "limit" in request.query else page("a", "b")

    with serving(script) as server:
        assert len(Objects(connect(server)).list(CONFIG_MAP, "shop").items) == 2


def test_a_review_is_a_yes_only_if_it_says_so() -> None:
    replies = [Reply(201, {"status": {"allowed": True}}), Reply(201, {"status": {"denied": True, "reason": "no"}})]
    with serving(replies) as server:
        objects = Objects(connect(server))
        assert objects.review_access("apps", "deployments", "patch", "shop").allowed
        assert objects.review_access("apps", "deployments", "patch").reason == "no"

    attributes = server.requests[0].body["spec"]["resourceAttributes"]
    assert attributes == {"group": "apps", "resource": "deployments", "verb": "patch", "namespace": "shop"}
