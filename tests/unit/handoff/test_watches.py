"""What is watched, kept up to date from scripted LISTs and WATCHes."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from hook.cluster.answers import ApiError
from hook.cluster.objects import Objects
from hook.cluster.resource_type import ResourceType
from hook.handoff.watches import Scope, Watches
from hook.manifests.identity import Identity
from tests.unit.cluster.scripted import Reply, Request, Server, connect, eventually, serving, status

VERBS = frozenset({"list", "watch"})
DEPLOYMENT = ResourceType("apps", "v1", "Deployment", "deployments", True, VERBS)
POD = ResourceType("", "v1", "Pod", "pods", True, VERBS)


def web(namespace: str = "ns") -> Identity:
    return Identity("apps", "Deployment", namespace, "web")


def item(name: str = "web", namespace: str = "ns", version: int = 1, **more: Any) -> dict[str, Any]:
    fields = {"manager": "m", "time": "2026-01-01T00:00:00Z", "fieldsV1": {"f:spec": {}}}
    metadata = {"name": name, "namespace": namespace, "resourceVersion": str(version), "managedFields": [fields]}
    return {"metadata": metadata, **more}


class Script:
    """Lists `items`, then streams `events`, for each resource type by its plural."""

    def __init__(self) -> None:
        self.items: dict[str, list[dict[str, Any]]] = {}
        self.events: dict[str, list[dict[str, Any]]] = {}
        self.all_allowed = True

    def __call__(self, request: Request) -> Reply:
        plural = request.path.rpartition("/")[2]
        if plural == "selfsubjectaccessreviews":
            return Reply(body={"kind": "SelfSubjectAccessReview", "status": {"allowed": self.all_allowed}})
        if request.query.get("watch"):
            events, self.events[plural] = self.events.get(plural, []), []
            return Reply(lines=events, hold=30.0)
        items = self.items.get(plural, [])
        return Reply(body={"kind": "List", "metadata": {"resourceVersion": "1"}, "items": items})


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def server(script: Script) -> Iterator[Server]:
    with serving(script) as server:
        yield server


@pytest.fixture
def watches(server: Server) -> Iterator[Watches]:
    session: Any = SimpleNamespace(objects=Objects(connect(server)))
    with Watches(session) as watches:
        yield watches


def paths(server: Server) -> list[str]:
    return [request.path for request in server.requests if not request.query.get("watch")]


def test_only_what_is_wanted_is_kept_and_of_managed_fields_only_who_wrote_when(
    watches: Watches, script: Script
) -> None:
    script.items["deployments"] = [item(), item("other")]
    watches.want([(DEPLOYMENT, web())])
    assert eventually(watches.synced)
    found = watches.get(web())
    assert found is not None
    assert found["metadata"]["managedFields"] == [{"manager": "m", "time": "2026-01-01T00:00:00Z"}]
    assert watches.items(Scope(DEPLOYMENT, "ns")) == [found]


def test_one_list_and_one_watch_for_all_objects_of_a_kind(watches: Watches, server: Server) -> None:
    others = [Identity("apps", "Deployment", "ns", name) for name in "abc"]
    watches.want([(DEPLOYMENT, one) for one in others])
    assert eventually(watches.synced)
    assert eventually(lambda: len(server.requests) == 2)
    assert [r.path for r in server.requests] == ["/apis/apps/v1/namespaces/ns/deployments"] * 2


def test_several_namespaces_are_watched_as_one_where_that_is_allowed(watches: Watches, server: Server) -> None:
    watches.want([(DEPLOYMENT, web("a")), (DEPLOYMENT, web("b"))])
    assert eventually(watches.synced)
    assert paths(server)[1:] == ["/apis/apps/v1/deployments"]


def test_several_namespaces_are_watched_one_by_one_where_it_is_not(
    watches: Watches, server: Server, script: Script
) -> None:
    script.all_allowed = False
    watches.want([(DEPLOYMENT, web("a")), (DEPLOYMENT, web("b"))])
    assert eventually(watches.synced)
    assert sorted(paths(server)[1:]) == [f"/apis/apps/v1/namespaces/{name}/deployments" for name in "ab"]


def test_news_tells_what_changed_once(watches: Watches, script: Script) -> None:
    script.items["deployments"] = [item()]
    watches.want([(DEPLOYMENT, web())])
    assert watches.news(5.0).changed == {web()}
    assert watches.news(0.05).changed == frozenset()


def test_news_comes_with_the_event_and_not_with_the_end_of_the_patience(watches: Watches, script: Script) -> None:
    script.events["deployments"] = [{"type": "ADDED", "object": item(version=2, status={"replicas": 1})}]
    watches.want([(DEPLOYMENT, web())])
    while watches.get(web()) is None:
        watches.news(60.0)
    assert watches.get(web())["status"] == {"replicas": 1}  # type: ignore[index]


def test_the_last_state_of_what_was_deleted_is_remembered(watches: Watches, script: Script) -> None:
    script.items["deployments"] = [item()]
    script.events["deployments"] = [{"type": "DELETED", "object": item(version=3, status={"done": True})}]
    watches.want([(DEPLOYMENT, web())])
    assert eventually(lambda: watches.last(web()) is not None)
    assert watches.get(web()) is None
    assert watches.last(web())["status"] == {"done": True}  # type: ignore[index]


def test_what_is_followed_is_news_about_something_else(watches: Watches, server: Server, script: Script) -> None:
    scope = Scope(POD, "ns", "app=web")
    script.items["pods"] = [item("web-1"), item("web-2")]
    assert watches.items(scope) is None
    watches.follow(scope)
    news = watches.news(5.0)
    assert (news.changed, news.related) == (frozenset(), True)
    assert len(watches.items(scope) or ()) == 2
    assert server.requests[0].query["labelSelector"] == "app=web"


def test_what_ends_a_watch_for_good_is_raised_where_it_is_waited(watches: Watches, server: Server) -> None:
    server.script = lambda _: Reply(
        403, status(403, "Forbidden", 'deployments.apps is forbidden: User "u" cannot list resource "deployments"')
    )
    watches.want([(DEPLOYMENT, web())])
    with pytest.raises(ApiError, match="rights missing"):
        watches.news(5.0)
