"""Artifacts of Flux's source-controller, fetched and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from hook.cluster import artifacts
from hook.cluster.artifacts import fetch_artifact
from hook.cluster.objects import Objects
from hook.errors import HandoffError, InvalidInput, Refused, Terminated, Unreachable
from hook.manifests.identity import Kind
from tests.unit.cluster.scripted import Reply, Request, Server, connect, serving, status

KIND = Kind("source.toolkit.fluxcd.io", "GitRepository")
OBJECT = "/apis/source.toolkit.fluxcd.io/v1/namespaces/flux-system/gitrepositories/app"
CONTENT = "the packed tree"


def digest(content: str = CONTENT, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, content.encode()).hexdigest()}"


def discovered(served: bool = True) -> dict[str, Any]:
    resource = {
        "resource": "gitrepositories",
        "scope": "Namespaced",
        "verbs": ["get"],
        "responseKind": {"kind": KIND.kind},
    }
    version = {"version": "v1", "resources": [resource]}
    items = [{"metadata": {"name": KIND.group}, "versions": [version]}] if served else []
    return {"kind": "APIGroupDiscoveryList", "items": items}


@contextmanager
def source(status_of: Callable[[str], Any], *downloads: Reply, served: bool = True) -> Iterator[Server]:
    """An API server with one GitRepository, whose status the function gives for the server's address, and a store."""
    left = list(downloads) or [Reply(body=CONTENT)]

    def script(request: Request) -> Reply:
        if request.path in ("/api", "/apis"):
            return Reply(body=discovered(served and request.path == "/apis"))
        if request.path == OBJECT:
            metadata = {"namespace": "flux-system", "name": "app"}
            found = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": KIND.kind, "metadata": metadata}
            return Reply(body={**found, "status": status_of(server.address)})
        return left.pop(0) if len(left) > 1 else left[0]

    with serving(script) as server:
        yield server


def artifact(host: str, **changed: Any) -> dict[str, Any]:
    made = {"url": f"{host}/app.tar.gz", "digest": digest(), "revision": "main@sha1:5f1c", **changed}
    return {"artifact": {key: value for key, value in made.items() if value is not None}}


def failure(server: Server, kind: type[HandoffError]) -> str:
    with pytest.raises(kind) as caught:
        fetch_artifact(Objects(connect(server)), KIND, "flux-system", "app")
    return caught.value.message


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "_PAUSE", 0.01)


def test_the_artifact_is_fetched_from_the_url_in_the_status_with_its_revision() -> None:
    with source(artifact) as server:
        found, data = fetch_artifact(Objects(connect(server)), KIND, "flux-system", "app")
    assert (found.revision, data) == ("main@sha1:5f1c", CONTENT.encode())


def test_the_store_is_sent_no_credentials() -> None:
    with source(artifact) as server:
        fetch_artifact(Objects(connect(server, "secret-token")), KIND, "flux-system", "app")
        asked = {request.path: request.headers.get("authorization") for request in server.requests}
    assert asked[OBJECT] == "Bearer secret-token"
    assert asked["/app.tar.gz"] is None


@pytest.mark.parametrize("algorithm", ["sha384", "sha512"])
def test_other_digests_are_checked_too(algorithm: str) -> None:
    with source(lambda host: artifact(host, digest=digest(algorithm=algorithm))) as server:
        assert fetch_artifact(Objects(connect(server)), KIND, "flux-system", "app")[1] == CONTENT.encode()


def test_content_that_does_not_fit_its_digest_is_refused() -> None:
    with source(artifact, Reply(body="something else")) as server:
        assert digest("something else") in failure(server, Refused)


@pytest.mark.parametrize("given", [None, "md5:00", "blake3:00", "sha256:xyz"])
def test_an_artifact_without_a_digest_that_can_be_checked_is_refused(given: str | None) -> None:
    with source(lambda host: artifact(host, digest=given)) as server:
        assert "status.artifact.digest" in failure(server, Refused)


def test_a_digest_of_blake3_is_refused_with_the_setting_that_chooses_it() -> None:
    with source(lambda host: artifact(host, digest=f"blake3:{'0' * 64}")) as server:
        assert "sha256, sha384, sha512, which can be checked; give source-controller" in failure(server, Refused)


def test_a_url_of_another_kind_is_refused() -> None:
    with source(lambda host: artifact(host, url="file:///etc/passwd")) as server:
        assert "no http" in failure(server, Refused)


def test_an_artifact_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifacts, "MAX_SIZE", 4)
    with source(artifact) as server:
        assert "larger than" in failure(server, Refused)


def test_a_redirect_is_not_followed() -> None:
    with source(artifact, Reply(302, "", headers={"Location": "/elsewhere"})) as server:
        assert "HTTP 302" in failure(server, Unreachable)
        assert "/elsewhere" not in {request.path for request in server.requests}


def test_an_artifact_that_was_replaced_meanwhile_is_looked_up_again() -> None:
    urls = iter(["/old.tar.gz", "/new.tar.gz"])
    with source(lambda host: artifact(host, url=host + next(urls)), Reply(404, ""), Reply(body=CONTENT)) as server:
        fetch_artifact(Objects(connect(server)), KIND, "flux-system", "app")
        assert [r.path for r in server.requests if r.path.endswith(".gz")] == ["/old.tar.gz", "/new.tar.gz"]


def test_a_source_without_an_artifact_may_have_one_later() -> None:
    conditions = {"conditions": [{"type": "Ready", "status": "False", "message": "authentication required"}]}
    with source(lambda _: conditions) as server:
        message = failure(server, Unreachable)
    assert "GitRepository flux-system/app: has no artifact yet: authentication required" in message


def test_a_source_that_does_not_exist_is_bad_input() -> None:
    def script(request: Request) -> Reply:
        if request.path == OBJECT:
            return Reply(404, status(404, "NotFound", kind="gitrepositories", name="app"))
        return Reply(body=discovered())

    with serving(script) as server:
        assert "does not exist" in failure(server, InvalidInput)


def test_a_cluster_without_source_controller_is_named() -> None:
    with source(artifact, served=False) as server:
        assert "source-controller" in failure(server, InvalidInput)


def test_sigterm_ends_a_download() -> None:
    with source(artifact) as server:
        connection = connect(server)
        server.script = _ending(server.script, connection.end)
        with pytest.raises(Terminated):
            fetch_artifact(Objects(connection), KIND, "flux-system", "app")


def _ending(script: Callable[[Request], Reply], end: Callable[[], None]) -> Callable[[Request], Reply]:
    def answer(request: Request) -> Reply:
        if request.path.endswith(".gz"):
            end()
        return script(request)

    return answer
