"""Two Applications that share a Namespace and a definition, and how each of them ends."""

from __future__ import annotations

from tests.cluster.cluster import Cluster
from tests.cluster.probe.process import Probe
from tests.cluster.probe.targets import targets_of
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.shared_place import SharedPlace
from tests.hook_process import run_handoff

DELIVERED = "configmaps,jobs,roles,rolebindings"


def test_what_two_applications_share_outlives_each_of_them(
    node_cluster: Cluster, new_argo_application: NewArgoApplication
) -> None:
    place = SharedPlace(node_cluster)
    going, staying = (new_argo_application(**place.options(prefix)) for prefix in ("one", "two"))
    going.delivery.resources = [*going.delivery.resources, "argocd/removal"]
    for app in (going, staying):
        commit = place.push(app.delivery)
        app.create()
        app.await_done(commit)
    assert place.owners() == {going.name, staying.name}

    targets = targets_of(node_cluster.api, place.objects(staying.name))
    with Probe(node_cluster.kubeconfig, targets) as probe:
        going.delete()
        if place.owners() != {staying.name}:
            # Argo CD may take its hook for done at once, and end it (argoproj/argo-cd#29100): then by hand.
            named = ("--component", going.name, "--namespace", going.live.namespace)
            assert run_handoff(node_cluster, "remove", *named).exit_code == 0
        assert place.owners() == {staying.name}
        assert place.left(f"installersets,leases,{DELIVERED}", going.name) == set()

        # Without the PreDelete hook the component stays, with its record, for whoever takes it up or away later.
        staying.delete()
        assert place.left(DELIVERED, staying.name) == set()
        assert len(place.left("installersets", staying.name)) == 1
    assert probe.report.gone() == []
