"""What the Helm chart renders, on a real API server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.charts import LEAST, rendered
from tests.cluster.cluster import Cluster

FULL: dict[str, Any] = {
    **LEAST,
    "removal": {"enabled": True},
    "rbac": {"clusterRules": [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list"]}]},
    "imagePullSecrets": [{"name": "registry"}],
    "nodeSelector": {"pool": "infra"},
    "tolerations": [{"operator": "Exists"}],
    "podAnnotations": {"a": "b"},
    "extraEnv": [{"name": "HANDOFF_MAX_PRUNE", "value": "9"}],
    "extraVolumes": [{"name": "more", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
}


@pytest.mark.parametrize("hook", ["helm", "argocd", "flux", "none"])
def test_each_form_is_accepted(shared_cluster: Cluster, namespace: str, hook: str) -> None:
    items = rendered({**FULL, "hook": hook}, namespace=namespace)
    assert {"Job", "Role", "RoleBinding", "ServiceAccount", "ClusterRole"} <= {item["kind"] for item in items}
    listing = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    shared_cluster.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", stdin=listing)


def test_its_pods_keep_the_restricted_profile(shared_cluster: Cluster, namespace: str) -> None:
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    path = f"/api/v1/namespaces/{namespace}"
    shared_cluster.api.request("PATCH", path, label, content_type="application/merge-patch+json")
    shared_cluster.kubectl("create", "serviceaccount", "shop-handoff", "-n", namespace)
    for item in rendered(FULL, namespace=namespace):
        if item["kind"] == "Job":
            spec = {**item["spec"]["template"]["spec"], "nodeSelector": {}}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "handoff"}, "spec": spec}
            shared_cluster.kubectl("create", "--dry-run=server", "-n", namespace, "-f", "-", stdin=json.dumps(pod))
