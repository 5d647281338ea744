"""Syncs in which Argo CD runs no hook."""

from __future__ import annotations

from tests.cluster.cluster import Cluster
from tests.cluster.processes import wait_until
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.runs import await_sets
from tests.gitops.states import PATIENCE
from tests.node.test_container import ACTIVE
from tests.node.workload import component


def test_what_a_skipped_hook_did_not_do_the_next_run_does(
    node_cluster: Cluster, new_argo_application: NewArgoApplication, servers: dict[str, str]
) -> None:
    app = new_argo_application()
    live = app.live
    commit = app.delivery.push("v1", component("v1", servers["v1"]))
    app.create()
    app.await_done(commit)
    job = live.get("job", "handoff")["metadata"]["uid"]

    # Self-heal puts back what Argo CD tracks, without the hook, and does not see what the hook made.
    node_cluster.kubectl("delete", "rolebinding/handoff", "configmap/web-settings", "-n", live.namespace)
    app.fetch()
    wait_until(lambda: bool(live.get("rolebinding", "handoff")), "self-heal put it back", timeout=PATIENCE, pause=0.3)
    app.await_done(commit)
    assert live.get("configmap", "web-settings") == {}
    assert live.get("job", "handoff")["metadata"]["uid"] == job

    # A sync by the `apply` strategy, as a rollback is one, takes the next version's input, and no hook looks at it.
    app.automate(None)
    commit = app.delivery.push("v2", component("v2", servers["v2"]))
    app.sync(revision=commit, syncStrategy={"apply": {}})
    app.await_done(commit)
    assert live.sets() == {"v1": ACTIVE}
    assert live.get("job", "handoff")["metadata"]["uid"] == job

    app.sync(revision=commit)
    app.await_done(commit)
    await_sets(live, {"v2": ACTIVE})
    assert live.get("configmap", "web-settings")["data"] == {"GREETING": "hello from v2"}
    assert (live.get("configmap", "only-v1"), bool(live.get("configmap", "only-v2"))) == ({}, True)
