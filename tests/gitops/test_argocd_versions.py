"""Argo CD delivers version after version: installed, upgraded, failed, reverted and fixed, without a gap."""

from __future__ import annotations

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.gitops.argo_application import hook_result
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.releases import never_ready, tracked_by_argo
from tests.gitops.runs import await_sets
from tests.node.test_container import ACTIVE, visitors
from tests.node.workload import component, shared

# The hook with its rights and its input, and nothing that it made.
OWN = {"ServiceAccount/handoff", "Role/handoff", "RoleBinding/handoff", "ConfigMap/handoff-input", "Job/handoff"}


def test_versions_come_and_go_without_a_gap(
    node_cluster: Cluster, new_argo_application: NewArgoApplication, servers: dict[str, str]
) -> None:
    app = new_argo_application()
    live, push = app.live, app.delivery.push
    first = component("v1", servers["v1"])
    # Manifests that claim to be Argo CD's own: those that it tracks, and finds nowhere in Git, it would prune.
    commit = push("v1", tracked_by_argo(first, app.name, live.namespace))
    app.create()
    app.await_done(commit)
    await_sets(live, {"v1": ACTIVE})
    assert live.get("configmap", "only-v1")
    assert app.tracked() == OWN

    address = live.get("service", "web")["spec"]["clusterIP"]
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe, visitors(f"http://{address}/") as answers:
        commit = push("v2", component("v2", servers["v2"]))
        app.fetch()
        app.await_done(commit)
        await_sets(live, {"v2": ACTIVE})
        assert (live.get("configmap", "only-v1"), bool(live.get("configmap", "only-v2"))) == ({}, True)

        commit = push("v3", never_ready(component("v3", servers["v1"])))
        app.fetch()
        told = hook_result(app.await_operation(commit, "Failed"))
        assert told["hookPhase"] == "Failed"
        assert "exit code 4" in told["message"]
        # The old generation as it was.
        assert live.sets()["v2"] == ACTIVE
        assert live.get("configmap", "only-v2")

        commit = app.delivery.revert()
        app.fetch()
        app.await_done(commit)
        await_sets(live, {"v2": ACTIVE})
        assert live.get("configmap", "only-v3") == {}

        commit = push("v3", component("v3", servers["v1"]))
        app.fetch()
        app.await_done(commit)
        await_sets(live, {"v3": ACTIVE})
    assert probe.report.gone() == []
    assert set(answers) == {"v1", "v2"}, answers
    assert app.tracked() == OWN
