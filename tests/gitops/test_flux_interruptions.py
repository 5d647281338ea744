"""What people and Flux do while the hook runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.gitops.flux import CANCEL_ON_NEW_REVISION, Flux
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.cluster.processes import wait_until
from tests.gitops.conftest import NewFluxComponent
from tests.gitops.flux_component import FluxComponent
from tests.gitops.interrupted_deliveries import fix_while_the_hook_fails, revert_while_the_hook_runs
from tests.gitops.releases import slow
from tests.gitops.runs import await_running
from tests.gitops.states import PATIENCE
from tests.node.test_container import ACTIVE
from tests.node.workload import component, shared


@pytest.fixture
def app(new_flux_component: NewFluxComponent, servers: dict[str, str]) -> FluxComponent:
    """A component at v1."""
    made = new_flux_component()
    commit = made.delivery.push("v1", component("v1", servers["v1"]))
    made.create()
    made.await_done(commit)
    return made


@pytest.fixture
def impatient(flux: Flux) -> Iterator[None]:
    """Flux ends its wait for a Job when a newer commit comes."""
    flux.start_reconciler(CANCEL_ON_NEW_REVISION)
    yield
    flux.start_reconciler()


def test_commits_that_come_while_the_hook_runs_have_the_last_word(
    node_cluster: Cluster, app: FluxComponent, servers: dict[str, str]
) -> None:
    """Flux waits for the Job that runs, then takes the newest commit."""
    revert_while_the_hook_runs(node_cluster, app, servers)
    fix_while_the_hook_fails(node_cluster, app, servers)


@pytest.mark.usefixtures("impatient")
def test_a_replaced_hook_ends_before_the_next_one_works(
    node_cluster: Cluster, app: FluxComponent, servers: dict[str, str]
) -> None:
    """Flux deletes the Job in the background: its pod and that of the next Job are there at once."""
    first, live = component("v1", servers["v1"]), app.live
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe:
        app.delivery.push("v2", slow(component("v2", servers["v2"]), 120))
        app.fetch()
        await_running(live, "v2")
        old = live.pods()[-1]["metadata"]["name"]
        assert live.lease_holder().startswith(old)
        commit = app.delivery.push("v3", component("v3", servers["v1"]))
        app.fetch()
        wait_until(
            lambda: {old} < {pod["metadata"]["name"] for pod in live.pods()},
            "the old pod and the new one are there at once",
            timeout=PATIENCE,
            pause=0.1,
        )
        app.await_done(commit)
        assert live.sets() == {"v3": ACTIVE}
        assert live.get("configmap", "only-v2") == {}
    assert probe.report.gone() == []


def test_a_suspended_kustomization_lets_the_hook_end_and_starts_no_other(
    app: FluxComponent, servers: dict[str, str]
) -> None:
    live = app.live
    app.delivery.push("v2", slow(component("v2", servers["v2"]), 5))
    app.fetch()
    await_running(live, "v2")
    app.change("Kustomization", {"spec": {"suspend": True}})
    job = live.get("job", "handoff")["metadata"]["uid"]
    commit = app.delivery.push("v3", component("v3", servers["v1"]))
    app.fetch()
    app.await_fetched(commit)
    wait_until(lambda: live.sets() == {"v2": ACTIVE}, "the hook ends well", timeout=PATIENCE, pause=0.5)
    assert live.get("job", "handoff")["metadata"]["uid"] == job
    app.change("Kustomization", {"spec": {"suspend": False}})
    app.await_done(commit)
    assert live.sets() == {"v3": ACTIVE}
