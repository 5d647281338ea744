"""Flux delivers version after version: installed, upgraded, failed, reverted and fixed, without a gap."""

from __future__ import annotations

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.gitops.conftest import NewFluxComponent
from tests.gitops.releases import never_ready, tracked_by_flux
from tests.gitops.states import condition
from tests.node.test_container import ACTIVE, visitors
from tests.node.workload import component, shared


def test_versions_come_and_go_without_a_gap(
    node_cluster: Cluster, new_flux_component: NewFluxComponent, servers: dict[str, str]
) -> None:
    app = new_flux_component()
    live, push = app.live, app.delivery.push
    first = component("v1", servers["v1"])
    # Manifests that claim to be Flux's own: those that it tracks, and finds nowhere in Git, it would prune.
    commit = push("v1", tracked_by_flux(first, app.name, "flux-system"))
    app.create()
    app.await_done(commit)
    assert live.sets() == {"v1": ACTIVE}
    assert live.get("configmap", "only-v1")

    address = live.get("service", "web")["spec"]["clusterIP"]
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe, visitors(f"http://{address}/") as answers:
        commit = push("v2", component("v2", servers["v2"]))
        app.fetch()
        app.await_done(commit)
        assert live.sets() == {"v2": ACTIVE}
        assert (live.get("configmap", "only-v1"), bool(live.get("configmap", "only-v2"))) == ({}, True)

        commit = push("v3", never_ready(component("v3", servers["v1"])))
        app.fetch()
        told = app.await_failed(commit)
        assert "HealthCheckFailed" in told
        assert f"Job/{live.namespace}/handoff status: 'Failed'" in told
        # The old generation as it was, and the cause, where people look next.
        assert live.sets()["v2"] == ACTIVE
        assert live.get("configmap", "only-v2")
        assert "exit code 4" in condition(live.get("job", "handoff"), "Failed")["message"]

        commit = app.delivery.revert()
        app.fetch()
        app.await_done(commit)
        assert live.sets() == {"v2": ACTIVE}
        assert live.get("configmap", "only-v3") == {}

        commit = push("v3", component("v3", servers["v1"]))
        app.fetch()
        app.await_done(commit)
        assert live.sets() == {"v3": ACTIVE}
    assert probe.report.gone() == []
    assert set(answers) == {"v1", "v2"}, answers

    # Flux knows the hook, its rights and its input, and nothing that the hook made.
    tracked = {entry.split("_", 1)[1] for entry in app.inventory()}
    assert {entry for entry in tracked if not entry.startswith("handoff-input-")} == {
        "handoff__ServiceAccount",
        "handoff_rbac.authorization.k8s.io_Role",
        "handoff_rbac.authorization.k8s.io_RoleBinding",
        "handoff_batch_Job",
    }
    assert len(tracked) == 5
