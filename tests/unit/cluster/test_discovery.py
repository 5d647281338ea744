"""What is served, and what is only down."""

from __future__ import annotations

from typing import Any

import pytest

from hook.cluster.discovery import Discovery
from hook.errors import Refused, Unreachable
from hook.manifests.identity import Kind
from tests.unit.cluster.scripted import Reply, Request, connect, serving


def resource(kind: str, plural: str, *, scope: str = "Namespaced", status: bool = False) -> dict[str, Any]:
    return {
        "resource": plural,
        "responseKind": {"group": "", "version": "", "kind": kind},
        "scope": scope,
        "verbs": ["get", "list"],
        "subresources": [{"subresource": "status"}] if status else [],
    }


def group(name: str, *versions: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"name": name} if name else {}, "versions": list(versions)}


def version(name: str, *resources: dict[str, Any], fresh: bool = True) -> dict[str, Any]:
    return {"version": name, "freshness": "Current" if fresh else "Stale", "resources": list(resources)}


CORE = group("", version("v1", resource("ConfigMap", "configmaps"), resource("Node", "nodes", scope="Cluster")))
GROUPS = [
    group(
        "example.org",
        version("v2", resource("Gear", "gears", status=True)),
        version("v1", resource("Gear", "gears"), resource("Wheel", "wheels")),
    ),
    group("stats.example.org", version("v1", fresh=False)),
    group("half.example.org", version("v1", resource("Alarm", "alarms")), version("v1beta1", fresh=False)),
]


def document(*groups: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "APIGroupDiscoveryList", "items": list(groups)}


@pytest.fixture(scope="module")
def discovery() -> Discovery:
    def script(request: Request) -> Reply:
        return Reply(body=document(CORE) if request.path == "/api" else document(*GROUPS))

    with serving(script) as server:
        found = Discovery.read(connect(server))
        assert [request.path for request in server.requests] == ["/api", "/apis"]
        return found


def test_the_preferred_version_comes_first(discovery: Discovery) -> None:
    found = discovery.find(Kind("example.org", "Gear"))

    assert found is not None
    assert (found.version, found.plural, found.has_status) == ("v2", "gears", True)


def test_a_version_that_is_served_is_taken(discovery: Discovery) -> None:
    found = discovery.find(Kind("example.org", "Gear"), "v1")

    assert found is not None
    assert found.version == "v1"


def test_a_version_that_is_not_served_gives_the_preferred_one(discovery: Discovery) -> None:
    found = discovery.find(Kind("example.org", "Gear"), "v1alpha1")

    assert found is not None
    assert found.version == "v2"


def test_a_kind_of_an_older_version_only_is_found(discovery: Discovery) -> None:
    found = discovery.find(Kind("example.org", "Wheel"))

    assert found is not None
    assert found.version == "v1"


def test_an_absent_kind_is_absent(discovery: Discovery) -> None:
    assert discovery.find(Kind("example.org", "Nothing")) is None
    assert not discovery.is_unknown(Kind("example.org", "Nothing"))


def test_a_kind_of_a_group_that_is_down_is_unknown(discovery: Discovery) -> None:
    assert discovery.find(Kind("stats.example.org", "Sample")) is None
    assert discovery.is_unknown(Kind("stats.example.org", "Sample"))
    assert discovery.knows_group("stats.example.org")


def test_what_a_half_stale_group_does_serve_is_known(discovery: Discovery) -> None:
    assert not discovery.is_unknown(Kind("half.example.org", "Alarm"))
    assert discovery.stale_groups == {"half.example.org", "stats.example.org"}


def test_scopes(discovery: Discovery) -> None:
    assert discovery.namespaced(Kind("", "ConfigMap")) is True
    assert discovery.namespaced(Kind("", "Node")) is False
    assert discovery.namespaced(Kind("nowhere", "X")) is None


def test_served_knows_kinds_and_plurals(discovery: Discovery) -> None:
    assert discovery.served("example.org", "v1", "Wheel")
    assert discovery.served("example.org", "v1", "wheels")
    assert not discovery.served("example.org", "v2", "Wheel")


def test_a_version_without_an_answer_is_not_served(discovery: Discovery) -> None:
    assert discovery.serves("example.org", "v1")
    assert not discovery.serves("stats.example.org", "v1")


def test_all_versions_of_a_kind(discovery: Discovery) -> None:
    assert [found.version for found in discovery.versions_of(Kind("example.org", "Gear"))] == ["v2", "v1"]


def test_an_unavailable_server_is_not_an_empty_one() -> None:
    with serving([Reply(503)]) as server, pytest.raises(Unreachable):
        Discovery.read(connect(server, budget=0.01))


def test_a_page_of_a_proxy_is_not_an_empty_server() -> None:
    with serving([Reply(body="<html/>")]) as server, pytest.raises(Unreachable):
        Discovery.read(connect(server, budget=0.01))


def test_a_server_without_this_form_is_named() -> None:
    old = Reply(body={"kind": "APIGroupList", "groups": []})
    with serving([old]) as server, pytest.raises(Refused, match=r"1\.27"):
        Discovery.read(connect(server))
