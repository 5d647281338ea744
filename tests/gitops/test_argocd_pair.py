"""The two halves of a handoff, with what Argo CD syncs between them."""

from __future__ import annotations

import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.locations import REPOSITORY
from tests.gitops.conftest import NewArgoApplication
from tests.gitops.runs import await_sets
from tests.node.test_container import ACTIVE
from tests.node.workload import component


def test_what_an_application_has_besides_is_synced_between_the_halves(
    node_cluster: Cluster, new_argo_application: NewArgoApplication, servers: dict[str, str]
) -> None:
    app = new_argo_application("argocd/pair")
    live = app.live
    _install_rights(node_cluster, live.namespace)

    for version in ("v1", "v2"):
        app.delivery.generated = [
            {"name": f"own-{version}", "literals": ["a=b"], "options": {"disableNameSuffixHash": True}}
        ]
        commit = app.delivery.push(version, component(version, servers[version]))
        if version == "v1":
            app.create()
        else:
            app.fetch()
        app.await_done(commit)
        await_sets(live, {version: ACTIVE})
        first, second = (live.get("job", f"handoff-{half}")["status"] for half in ("pre-sync", "post-sync"))
        between = live.get("configmap", f"own-{version}")["metadata"]["creationTimestamp"]
        assert first["completionTime"] <= between <= second["startTime"]
    assert (live.get("configmap", "only-v1"), bool(live.get("configmap", "only-v2"))) == ({}, True)


def _install_rights(cluster: Cluster, namespace: str) -> None:
    """Gives the hooks their rights beforehand, as the base's comment tells people to."""
    cluster.kubectl("create", "namespace", namespace)
    built = cluster.kubectl("kustomize", str(REPOSITORY / "manifests/rbac/namespaced")).stdout
    rights = list(yaml.safe_load_all(built))
    for item in rights:
        item["metadata"]["namespace"] = namespace
    cluster.kubectl("apply", "--server-side", "-n", namespace, "-f", "-", stdin=yaml.safe_dump_all(rights))
