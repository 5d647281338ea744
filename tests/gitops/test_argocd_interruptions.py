"""What people and Argo CD do while the hook runs."""

from __future__ import annotations

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.cluster.processes import wait_until
from tests.gitops.argo_application import ArgoApplication
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.interrupted_deliveries import fix_while_the_hook_fails, revert_while_the_hook_runs
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
    made.create(retries=1)
    made.await_done(commit)
    return made


def test_commits_that_come_while_the_hook_runs_have_the_last_word(
    node_cluster: Cluster, app: ArgoApplication, servers: dict[str, str]
) -> None:
    """A sync is not interrupted. The retry of one that failed takes the newest commit, since the example says so."""
    revert_while_the_hook_runs(node_cluster, app, servers)
    broken = fix_while_the_hook_fails(node_cluster, app, servers)
    # Without `refresh`, the retries would have failed as well, and the operation on that commit with them.
    assert not [told for told in app.told() if f"{broken} failed" in told]


def test_a_terminated_sync_leaves_what_the_next_one_completes(
    node_cluster: Cluster, app: ArgoApplication, servers: dict[str, str]
) -> None:
    first, live = component("v1", servers["v1"]), app.live
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe:
        commit = app.delivery.push("v2", slow(component("v2", servers["v2"]), 8))
        app.fetch()
        await_running(live, "v2")
        (pod,) = (each["metadata"]["name"] for each in live.pods())
        app.terminate()
        app.await_operation(commit, "Failed")
        wait_until(lambda: not live.lease_holder().startswith(pod), "the Lease is free", timeout=PATIENCE)
        assert live.sets()["v1"] == ACTIVE
        app.sync(revision=commit)
        app.await_done(commit)
        assert live.sets() == {"v2": ACTIVE}
    assert probe.report.gone() == []
