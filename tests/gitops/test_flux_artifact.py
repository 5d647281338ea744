"""The input is what source-controller has fetched, and no ConfigMap."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.flux import NAMESPACE
from tests.gitops.conftest import NewFluxComponent
from tests.gitops.delivery import PATH
from tests.hook_process import run_handoff
from tests.node.test_container import ACTIVE
from tests.node.workload import component


def test_the_hook_reads_the_artifact_of_its_own_revision(
    node_cluster: Cluster, new_flux_component: NewFluxComponent, servers: dict[str, str], tmp_path: Path
) -> None:
    """The digest in the Job's template makes Flux replace it, and keeps it from any other artifact."""
    app = new_flux_component(release="release/release.yaml")
    live, delivery = app.live, app.delivery
    source = f"flux://gitrepository/{NAMESPACE}/{app.name}/{PATH}/release"
    path = "/spec/template/spec/containers/0/args"
    arguments = [{"op": "replace", "path": path, "value": ["run", f"--source={source}"]}]
    delivery.patches.append({"target": {"kind": "Job"}, "patch": yaml.safe_dump(arguments)})
    named = (f"--component={app.name}", f"--namespace={app.name}")

    def push(version: str) -> str:
        """Commits a version with its digest."""
        objects = component(version, servers[version])
        release = tmp_path / "release.yaml"
        release.write_text(yaml.safe_dump_all(objects))
        checked = run_handoff(None, "check", f"--source={release}", *named)
        assert checked.exit_code == 0, checked
        return delivery.push(version, objects, HANDOFF_DIGEST=checked.report["digest"])

    commit = push("v1")
    _allow(node_cluster, source, *named, f"--source={tmp_path / 'release.yaml'}")
    app.create()
    app.await_done(commit)
    assert live.sets() == {"v1": ACTIVE}
    commit = push("v2")
    app.fetch()
    app.await_done(commit)
    assert live.sets() == {"v2": ACTIVE}
    assert _revisions(node_cluster, live.namespace) == {f"main@sha1:{commit}"}


def _allow(cluster: Cluster, source: str, *arguments: str) -> None:
    """Gives the Job the right to read its source, which is in another namespace than its other rights."""
    printed = run_handoff(None, "rbac", f"--reads={source}", *arguments)
    assert printed.exit_code == 0, printed
    cluster.load([item for item in printed.report["items"] if item["metadata"].get("namespace") == NAMESPACE])


def _revisions(cluster: Cluster, namespace: str) -> set[str]:
    """What the sets say that they come from."""
    sets = cluster.api.request("GET", f"/apis/installersets.io/v1alpha1/namespaces/{namespace}/installersets").body
    return {item["metadata"]["annotations"]["installersets.io/revision"] for item in sets["items"]}
