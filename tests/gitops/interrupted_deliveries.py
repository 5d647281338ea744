"""What every tool has to bring to a good end: commits that come while the hook runs."""

from __future__ import annotations

from typing import Any, Protocol

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.gitops.delivery import Delivery
from tests.gitops.releases import never_ready, slow
from tests.gitops.runs import await_running, await_sets
from tests.node.hook_job import HookJob
from tests.node.test_container import ACTIVE
from tests.node.workload import component, shared


class Delivered(Protocol):
    """A component that some tool delivers."""

    delivery: Delivery
    live: HookJob

    def fetch(self) -> None:
        """Lets the tool look into Git at once."""

    def await_done(self, commit: str) -> Any:
        """Waits until the tool is done with a commit, and content with it."""


def revert_while_the_hook_runs(cluster: Cluster, app: Delivered, servers: dict[str, str]) -> None:
    """Of a component at v1: v2 comes, and is taken back before it is there."""
    live = app.live
    targets = targets_of(cluster.api, shared(component("v1", servers["v1"])), namespace=live.namespace)
    with Probe(cluster.kubeconfig, targets) as probe:
        app.delivery.push("v2", slow(component("v2", servers["v2"]), 4))
        app.fetch()
        await_running(live, "v2")
        commit = app.delivery.revert()
        app.fetch()
        app.await_done(commit)
    await_sets(live, {"v1": ACTIVE})
    assert live.get("configmap", "only-v1")
    assert live.get("configmap", "only-v2") == {}
    assert probe.report.gone() == []


def fix_while_the_hook_fails(cluster: Cluster, app: Delivered, servers: dict[str, str]) -> str:
    """Of a component at v1: v2 never becomes ready, and v3 comes before that is clear; the commit of v2."""
    live = app.live
    targets = targets_of(cluster.api, shared(component("v1", servers["v1"])), namespace=live.namespace)
    with Probe(cluster.kubeconfig, targets) as probe:
        broken = app.delivery.push("v2", never_ready(component("v2", servers["v2"])))
        app.fetch()
        await_running(live, "v2")
        commit = app.delivery.push("v3", component("v3", servers["v1"]))
        app.fetch()
        app.await_done(commit)
    await_sets(live, {"v3": ACTIVE})
    assert [live.get("configmap", f"only-{version}") for version in ("v1", "v2")] == [{}, {}]
    assert probe.report.gone() == []
    return broken
