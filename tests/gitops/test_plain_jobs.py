"""The same deliveries without a tool: kubectl puts into the cluster what Git holds, as the bases' comments say."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.cluster.processes import wait_until
from tests.gitops.delivery import PATH, Delivery
from tests.gitops.releases import slow
from tests.gitops.runs import await_running
from tests.gitops.shared_place import SharedPlace
from tests.gitops.states import PATIENCE
from tests.node.hook_job import HookJob
from tests.node.test_container import ACTIVE
from tests.node.workload import component, shared

NewDelivery = Callable[..., tuple[Delivery, HookJob]]


@pytest.fixture
def put(node_cluster: Cluster) -> Callable[[Delivery], None]:
    """Puts a delivery's last commit into the cluster.

    Its Job is deleted as Flux does it, in the background: its pod may still be there when the next Job starts.
    """

    def apply(delivery: Delivery) -> None:
        kubectl, namespace = node_cluster.kubectl, delivery.namespace
        kubectl("create", "namespace", namespace, check=False)
        job = f"{delivery.prefix}handoff"
        kubectl("delete", "job", job, "-n", namespace, "--ignore-not-found", "--cascade=background", "--wait=true")
        kubectl("apply", "--server-side", "-k", str(delivery.repository.directory / PATH))

    return apply


def test_a_replaced_job_ends_before_the_next_one_works(
    node_cluster: Cluster, new_delivery: NewDelivery, put: Callable[[Delivery], None], servers: dict[str, str]
) -> None:
    delivery, live = new_delivery("flux")
    first = component("v1", servers["v1"])
    delivery.push("v1", first)
    put(delivery)
    wait_until(lambda: live.sets() == {"v1": ACTIVE}, "v1 is installed", timeout=PATIENCE, pause=0.5)
    targets = targets_of(node_cluster.api, shared(first), namespace=live.namespace)
    with Probe(node_cluster.kubeconfig, targets) as probe:
        delivery.push("v2", slow(component("v2", servers["v2"]), 120))
        put(delivery)
        await_running(live, "v2")
        (old,) = (pod["metadata"]["name"] for pod in live.pods())
        assert live.lease_holder().startswith(old)
        delivery.push("v3", component("v3", servers["v1"]))
        put(delivery)
        assert live.wait(timeout=PATIENCE).exit_code == 0
        assert live.sets() == {"v3": ACTIVE}
        assert live.get("configmap", "only-v2") == {}
    assert probe.report.gone() == []


def test_a_removal_leaves_what_another_component_has_too(
    node_cluster: Cluster, new_delivery: NewDelivery, put: Callable[[Delivery], None]
) -> None:
    place = SharedPlace(node_cluster)
    going, staying = (new_delivery("argocd", **place.options(prefix))[0] for prefix in ("one", "two"))
    for delivery in (going, staying):
        place.push(delivery)
        put(delivery)
        await_complete(node_cluster, delivery, "handoff")
    assert place.owners() == {going.component, staying.component}
    targets = targets_of(node_cluster.api, place.objects(staying.component))
    with Probe(node_cluster.kubeconfig, targets) as probe:
        going.resources = [*going.resources, "removal"]
        place.push(going)
        node_cluster.kubectl("apply", "--server-side", "-k", str(going.repository.directory / PATH))
        await_complete(node_cluster, going, "handoff-removal")
    assert probe.report.gone() == []
    assert place.owners() == {staying.component}
    assert place.left("installersets,leases", going.namespace) == set()


def await_complete(cluster: Cluster, delivery: Delivery, job: str) -> None:
    """Waits until a Job of a delivery is done."""
    name = f"job/{delivery.prefix}{job}"
    wait = ("wait", "--for=condition=Complete", f"--timeout={PATIENCE:g}s", "-n", delivery.namespace)
    cluster.kubectl(*wait, name)
