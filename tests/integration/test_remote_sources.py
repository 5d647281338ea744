"""Inputs that are read from the API: ConfigMaps by name, and artifacts of Flux's source-controller."""

from __future__ import annotations

import base64
import gzip
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cluster.cluster import Cluster
from tests.hook_process import HookResult, run_handoff

GROUP = "source.toolkit.fluxcd.io"


def manifest(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: b}}\n"


def run(cluster: Cluster, namespace: str, component: str, *sources: str) -> HookResult:
    named = ("--component", component, "--namespace", namespace)
    return run_handoff(cluster, "run", *(f"--source={source}" for source in sources), *named)


def exists(cluster: Cluster, namespace: str, name: str) -> bool:
    return cluster.api.request("GET", f"/api/v1/namespaces/{namespace}/configmaps/{name}").status == 200


def is_locked(cluster: Cluster, namespace: str, component: str) -> bool:
    """Whether a run has got as far as its Lease."""
    path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/handoff-{component}"
    return cluster.api.request("GET", path).status == 200


def test_several_config_maps_are_one_input_packed_or_not(
    shared_cluster: Cluster, namespace: str, component: str
) -> None:
    packed = base64.b64encode(gzip.compress(manifest("packed").encode())).decode()
    for name, content in (
        ("first", {"data": {"a.yaml": manifest("plain"), "README.md": "# no manifest"}}),
        ("second", {"binaryData": {"b.yaml.gz": packed}}),
    ):
        shared_cluster.load(
            [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, **content}]
        )
    result = run(
        shared_cluster, namespace, component, f"configmap://{namespace}/first", f"configmap://{namespace}/second"
    )
    assert result.exit_code == 0, result
    assert exists(shared_cluster, namespace, "plain")
    assert exists(shared_cluster, namespace, "packed")


def test_a_config_map_that_is_not_there_is_bad_input(shared_cluster: Cluster, namespace: str, component: str) -> None:
    result = run(shared_cluster, namespace, component, f"configmap://{namespace}/nowhere")
    assert result.exit_code == 2, result
    assert f"ConfigMap {namespace}/nowhere: does not exist" in result.report["message"]
    assert not is_locked(shared_cluster, namespace, component)


def test_a_manifest_in_a_config_map_is_named_with_its_place(
    shared_cluster: Cluster, namespace: str, component: str
) -> None:
    metadata = {"name": "input", "namespace": namespace}
    shared_cluster.load([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a.yaml": "a: [b"}}])
    result = run(shared_cluster, namespace, component, f"configmap://{namespace}/input")
    assert result.exit_code == 2, result
    assert f"configmap://{namespace}/input/a.yaml:" in result.report["message"]


def archive(files: dict[str, str]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as packed:
        for path, text in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(text.encode())
            packed.addfile(info, io.BytesIO(text.encode()))
    return raw.getvalue()


class Store:
    """What source-controller serves, on loopback."""

    def __init__(self) -> None:
        self.content = b""
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(store.content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/app.tar.gz"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def store() -> Iterator[Store]:
    made = Store()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def flux(shared_cluster: Cluster) -> None:
    """The definition of GitRepositories, as far as we look at them."""
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }
    names = {"kind": "GitRepository", "plural": "gitrepositories", "singular": "gitrepository"}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gitrepositories.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }
    shared_cluster.load([definition])


def publish(cluster: Cluster, namespace: str, store: Store, content: bytes, **changed: Any) -> None:
    """Serve this, and say so in the status of the GitRepository `app`."""
    store.content = content
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    artifact = {"url": store.url, "digest": digest, "revision": "main@sha1:5f1c", **changed}
    metadata = {"name": "app", "namespace": namespace}
    source = {"apiVersion": f"{GROUP}/v1", "kind": "GitRepository", "metadata": metadata}
    cluster.load([{**source, "status": {"artifact": artifact}}])


@pytest.mark.usefixtures("flux")
def test_a_path_inside_of_a_git_repository_is_an_input_and_its_revision_is_noted(
    shared_cluster: Cluster, namespace: str, component: str, store: Store
) -> None:
    files = {"deploy/a.yaml": manifest("wanted"), "other/b.yaml": manifest("unwanted"), "README.md": "#"}
    publish(shared_cluster, namespace, store, archive(files))
    result = run(shared_cluster, namespace, component, f"flux://gitrepository/{namespace}/app/deploy")
    assert result.exit_code == 0, result
    assert exists(shared_cluster, namespace, "wanted")
    assert not exists(shared_cluster, namespace, "unwanted")
    path = f"/apis/installersets.io/v1alpha1/namespaces/{namespace}/installersets"
    (one,) = shared_cluster.api.request("GET", path).body["items"]
    assert "main@sha1:5f1c" in one["metadata"]["annotations"].values()


@pytest.mark.usefixtures("flux")
def test_an_artifact_that_somebody_changed_on_the_way_is_refused(
    shared_cluster: Cluster, namespace: str, component: str, store: Store
) -> None:
    publish(shared_cluster, namespace, store, archive({"a.yaml": manifest("a")}), digest=f"sha256:{'0' * 64}")
    result = run(shared_cluster, namespace, component, f"flux://gitrepository/{namespace}/app")
    assert result.exit_code == 3, result
    assert not is_locked(shared_cluster, namespace, component)


@pytest.mark.usefixtures("flux")
def test_a_source_that_has_no_artifact_yet_may_be_tried_again(
    shared_cluster: Cluster, namespace: str, component: str
) -> None:
    metadata = {"name": "app", "namespace": namespace}
    shared_cluster.load([{"apiVersion": f"{GROUP}/v1", "kind": "GitRepository", "metadata": metadata}])
    result = run(shared_cluster, namespace, component, f"flux://gitrepository/{namespace}/app")
    assert result.exit_code == 1, result
    assert "has no artifact yet" in result.report["message"]
