"""What people and Argo CD do while the hook runs."""

from __future__ import annotations

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.cluster.processes import wait_until
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.releases import slow
from tests.gitops.runs import await_running
from tests.gitops.states import PATIENCE
from tests.node.test_container import ACTIVE
from tests.node.workload import component, shared


@pytest.fixture
def app(new_argo_application: NewArgoApplication, servers: dict[str, str]) -> ArgoApplication:
    """A component at v1."""
    made = new_argo_application()
    commit = made.delivery.push("v1", component("v1", servers["v1"]))
    made.create()
    made.await_synced(commit)
    return made


def test_commits_and_reverts_wait_for_the_hook_that_runs(
    node_cluster: Cluster, app: ArgoApplication, servers: dict[str, str]
) -> None:
    first, live = component("v1", servers["v1"]), app.live
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe:
        app.delivery.push("v2", slow(component("v2", servers["v2"]), 8))
        app.fetch()
        await_running(live, "v2")
        commit = app.delivery.revert()
        app.fetch()
        app.await_synced(commit)
        assert live.sets() == {"v1": ACTIVE}
        assert live.get("configmap", "only-v2") == {}

        app.delivery.push("v2", slow(component("v2", servers["v2"]), 8))
        app.fetch()
        await_running(live, "v2")
        commit = app.delivery.push("v3", component("v3", servers["v1"]))
        app.fetch()
        app.await_synced(commit)
        assert live.sets() == {"v3": ACTIVE}
        assert live.get("configmap", "only-v2") == {}
    assert probe.report.gone() == []


def test_a_terminated_sync_leaves_what_the_next_one_completes(
    node_cluster: Cluster, app: ArgoApplication, servers: dict[str, str]
) -> None:
    first, live = component("v1", servers["v1"]), app.live
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe:
        commit = app.delivery.push("v2", slow(component("v2", servers["v2"]), 15))
        app.fetch()
        await_running(live, "v2")
        (pod,) = (each["metadata"]["name"] for each in live.pods())
        app.terminate()
        app.await_operation(commit, "Failed")
        wait_until(lambda: not live.lease_holder().startswith(pod), "the Lease is free", timeout=PATIENCE)
        assert live.sets()["v1"] == ACTIVE
        app.sync(revision=commit)
        app.await_synced(commit)
        assert live.sets() == {"v2": ACTIVE}
    assert probe.report.gone() == []
