"""The proxy passes on what it should, counts it, and stops and breaks what it was told to."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import urllib3

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.cluster.proxy import Proxy, Request, faults

pytestmark = pytest.mark.cluster


@pytest.fixture
def proxy(shared_cluster: Cluster) -> Iterator[Proxy]:
    with Proxy(shared_cluster.kubeconfig) as proxy:
        yield proxy


@pytest.fixture
def api(proxy: Proxy) -> Iterator[Api]:
    api = Api(proxy.kubeconfig)
    yield api
    api.close()


@pytest.fixture
def maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def named(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name}}


def is_post(request: Request) -> bool:
    return request.method == "POST"


def names(cluster: Cluster, maps: str) -> set[str]:
    items = cluster.api.request("GET", maps).body["items"]
    return {item["metadata"]["name"] for item in items} - {"kube-root-ca.crt"}


def test_a_request_and_its_answer_are_passed_on_and_recorded(proxy: Proxy, api: Api, maps: str) -> None:
    assert api.request("POST", maps, named("one")).status == 201
    assert api.request("GET", f"{maps}/one").body["metadata"]["name"] == "one"
    assert api.request("GET", f"{maps}/two").status == 404
    seen = [(r.request.method, r.request.plural, r.request.name, r.status) for r in proxy.requests]
    assert seen == [
        ("POST", "configmaps", "one", 201),
        ("GET", "configmaps", "one", 200),
        ("GET", "configmaps", "two", 404),
    ]


def test_only_what_changes_something_is_a_write(proxy: Proxy, api: Api, maps: str) -> None:
    api.request("POST", maps, named("one"), query={"dryRun": "All"})
    review = {"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}}
    api.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review)
    api.request("GET", maps)
    assert proxy.writes == []
    api.request("DELETE", f"{maps}/one")
    assert [write.method for write in proxy.writes] == ["DELETE"]


def test_events_of_a_watch_come_through_one_by_one(proxy: Proxy, api: Api, shared_cluster: Cluster, maps: str) -> None:
    response = api.raw("GET", maps, query={"watch": "true"}, stream=True)
    lines: list[bytes] = []

    def collect() -> None:
        with contextlib.suppress(urllib3.exceptions.HTTPError):  # it is cut at the end of the test
            lines.extend(response.stream())

    threading.Thread(target=collect, daemon=True).start()
    for number in (1, 2):
        shared_cluster.api.request("POST", maps, named(f"map-{number}"))
        wait_until(lambda: f"map-{number}" in b"".join(lines).decode(), "the event comes", timeout=5)  # noqa: B023
    assert proxy.requests[0].request.is_watch


def test_a_hold_stops_the_request_that_it_names_and_all_that_follow(
    proxy: Proxy, api: Api, shared_cluster: Cluster, maps: str
) -> None:
    hold = proxy.hold(is_post, number=2)
    answers: list[int] = []

    def create(name: str) -> None:
        answers.append(api.request("POST", maps, named(name)).status)

    threads = [threading.Thread(target=create, args=(f"map-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    wait_until(lambda: hold.reached, "the second comes")
    hold.wait()
    assert len(names(shared_cluster, maps)) == 1
    hold.release()
    for thread in threads:
        thread.join()
    assert answers == [201] * 4


def test_a_hold_after_the_answer_stops_when_the_server_has_acted(
    proxy: Proxy, api: Api, shared_cluster: Cluster, maps: str
) -> None:
    hold = proxy.hold(is_post, after=True)
    failures: list[Exception] = []

    def create() -> None:
        try:
            api.request("POST", maps, named("one"))
        except urllib3.exceptions.HTTPError as error:
            failures.append(error)

    thread = threading.Thread(target=create)
    thread.start()
    wait_until(lambda: hold.reached, "it comes")
    hold.wait()
    assert names(shared_cluster, maps) == {"one"}
    hold.drop()
    thread.join()
    assert len(failures) == 1


def test_an_answer_of_a_fault_is_given_as_often_as_was_said(proxy: Proxy, api: Api, maps: str) -> None:
    proxy.on(is_post, faults.status(429, "TooManyRequests", "slow down", {"Retry-After": "1"}), times=2)
    answers = [api.request("POST", maps, named("one")) for _ in range(3)]
    assert [answer.status for answer in answers] == [429, 429, 201]
    assert answers[0].body["reason"] == "TooManyRequests"


def test_a_refused_connection_never_reaches_the_server(
    proxy: Proxy, api: Api, shared_cluster: Cluster, maps: str
) -> None:
    proxy.on(is_post, faults.refused())
    with pytest.raises(urllib3.exceptions.HTTPError):
        api.request("POST", maps, named("one"))
    assert names(shared_cluster, maps) == set()


def test_a_lost_answer_is_one_to_something_that_was_done(
    proxy: Proxy, api: Api, shared_cluster: Cluster, maps: str
) -> None:
    proxy.on(is_post, faults.lost_answer())
    with pytest.raises(urllib3.exceptions.HTTPError):
        api.request("POST", maps, named("one"))
    assert names(shared_cluster, maps) == {"one"}


def test_a_cut_body_ends_in_the_middle(proxy: Proxy, api: Api, maps: str) -> None:
    proxy.on(lambda request: request.method == "GET", faults.cut_body(40))
    with pytest.raises(urllib3.exceptions.HTTPError):
        api.request("GET", maps)


@pytest.mark.parametrize("fault", [faults.late(0.4), faults.late_answer(0.4)], ids=["request", "answer"])
def test_a_late_one_comes_after_its_time(proxy: Proxy, api: Api, maps: str, fault: Any) -> None:
    proxy.on(is_post, fault)
    began = time.monotonic()
    assert api.request("POST", maps, named("one")).status == 201
    assert time.monotonic() - began >= 0.4


def test_a_bearer_token_is_passed_through(shared_cluster: Cluster, namespace: str) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "nobody", "namespace": namespace}}
    shared_cluster.load([account])
    own = shared_cluster.service_account_kubeconfig(namespace, "nobody")
    with Proxy(own) as proxy:
        answer = Api(proxy.kubeconfig).request("GET", "/api/v1/nodes")
    assert answer.status == 403
    assert f"system:serviceaccount:{namespace}:nobody" in answer.body["message"]
