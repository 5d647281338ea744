"""The part with StatefulSets: a release with one, and components that gain one and lose it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, ProbeReport, Target, targets_of
from tests.cluster.proxy import Proxy, Request
from tests.corpus import corpus, objects_of
from tests.hook_process import HookResult, run_handoff

NAMESPACE = "tekton-pipelines"
RESELECTED = (
    "Deployment.apps tekton-pipelines/tekton-results-api",
    "Deployment.apps tekton-pipelines/tekton-results-watcher",
)
State = dict[Target, tuple[str, str]]  # uid and resourceVersion


@dataclass(frozen=True)
class Results:
    """Tekton Results moved from v0.9.2 to v0.15.2: refused first, then with leave to recreate two Deployments."""

    refused: HookResult
    writes: list[Request]
    before: State
    between: State
    done: HookResult
    after: State
    probe: ProbeReport
    sets: list[dict[str, Any]]


@pytest.fixture(scope="module")
def results(module_cluster: Cluster) -> Results:
    old, new = corpus("tekton-results", "v0.9.2"), corpus("tekton-results", "v0.15.2")
    cluster = module_cluster
    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, volume()])
    common = ("--component=tekton-results", f"--namespace={NAMESPACE}", "--timeout=3m")
    first = run_handoff(cluster, "run", "--source", old, *common)
    assert first.exit_code == 0, str(first)
    targets = targets_of(cluster.api, objects_of(old))
    before = state(cluster, targets)

    with Proxy(cluster.kubeconfig) as proxy:
        refused = run_handoff(None, "run", "--source", new, *common, kubeconfig=proxy.kubeconfig)
        writes = proxy.writes
    between = state(cluster, targets)

    allowed = [f"--recreate=Deployment/{name.rpartition('/')[2]}" for name in RESELECTED]
    shared = [target for target in targets if not is_reselected(target)]
    with Probe(cluster.kubeconfig, shared) as probe:
        done = run_handoff(cluster, "run", "--source", new, *common, *allowed)
    assert done.exit_code == 0, str(done)
    sets = cluster.api.request("GET", f"/apis/installersets.io/v1alpha1/namespaces/{NAMESPACE}/installersets")
    return Results(refused, writes, before, between, done, state(cluster, targets), probe.report, sets.body["items"])


def volume() -> dict[str, Any]:
    """Where no storage class makes volumes: one for the claim of the database."""
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "",
        "claimRef": {"namespace": NAMESPACE, "name": "postgredb-tekton-results-postgres-0"},
        "hostPath": {"path": "/var/lib/postgres"},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "postgres"}, "spec": spec}


def state(cluster: Cluster, targets: list[Target]) -> State:
    read = {}
    for target in targets:
        answer = cluster.api.request("GET", target.path)
        assert answer.status == 200, target
        read[target] = (answer.body["metadata"]["uid"], answer.body["metadata"]["resourceVersion"])
    return read


def is_reselected(target: Target) -> bool:
    return f"{target.kind}.{target.group} {target.namespace}/{target.name}" in RESELECTED


def test_a_changed_selector_is_refused_naming_each_deployment_and_the_way_out(results: Results) -> None:
    assert results.refused.exit_code == 3, str(results.refused)
    for name in RESELECTED:
        (line,) = (line for line in results.refused.report["message"].splitlines() if name in line)
        assert "spec.selector" in line
        assert f"--recreate Deployment/{name.rpartition('/')[2]}" in line


def test_a_refusal_comes_before_any_write(results: Results) -> None:
    assert [str(request) for request in results.writes] == []
    # A controller may still write the status of what was installed a moment ago.
    still = [target for target in results.before if target.kind not in ("Deployment", "StatefulSet")]
    assert {target: results.between[target] for target in still} == {target: results.before[target] for target in still}


def test_with_leave_the_handoff_goes_through_and_reports_what_was_recreated(results: Results) -> None:
    assert sorted(results.done.objects("recreated")) == sorted(RESELECTED)
    assert {one["spec"]["part"] for one in results.sets} == {"static", "deployment", "statefulset"}
    assert len({one["spec"]["digest"] for one in results.sets}) == 1
    assert not any(one["spec"].get("retiredBy") for one in results.sets)


def test_only_what_may_be_recreated_gets_another_uid(results: Results) -> None:
    replaced = {target for target, (uid, _) in results.before.items() if results.after[target][0] != uid}
    assert replaced == {target for target in results.before if is_reselected(target)}


def test_nothing_else_is_missing_meanwhile_the_stateful_set_least_of_all(results: Results) -> None:
    probed = {resource.target.kind for resource in results.probe.resources}
    assert {"StatefulSet", "Service", "ConfigMap", "ClusterRole"} <= probed
    assert [str(resource) for resource in results.probe.gone()] == []


def test_a_component_that_gains_a_stateful_set_gets_a_set_for_it(
    shared_cluster: Cluster, namespace: str, component: str, tmp_path: Path
) -> None:
    without, with_ = versions(tmp_path, namespace)
    named = (f"--component={component}", f"--namespace={namespace}", "--timeout=3m")
    first = run_handoff(shared_cluster, "run", "--source", without, *named)
    assert first.exit_code == 0, str(first)
    assert parts(shared_cluster, namespace) == ["deployment", "static"]
    second = run_handoff(shared_cluster, "run", "--source", with_, *named)
    assert second.exit_code == 0, str(second)
    assert parts(shared_cluster, namespace) == ["deployment", "statefulset", "static"]
    database = shared_cluster.api.request("GET", f"/apis/apps/v1/namespaces/{namespace}/statefulsets/database")
    assert database.body["status"]["readyReplicas"] == 2
    assert second.report["counts"]["pruned"] == 0


def test_a_component_that_loses_its_stateful_set_loses_its_pods_and_keeps_their_claims(
    shared_cluster: Cluster, namespace: str, component: str, tmp_path: Path
) -> None:
    without, with_ = versions(tmp_path, namespace)
    named = (f"--component={component}", f"--namespace={namespace}", "--timeout=3m")
    first = run_handoff(shared_cluster, "run", "--source", with_, *named)
    assert first.exit_code == 0, str(first)
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-database-0", "namespace": namespace, "labels": {"app": "database"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    shared_cluster.load([claim])
    second = run_handoff(shared_cluster, "run", "--source", without, *named)
    assert second.exit_code == 0, str(second)
    assert second.objects("pruned") == [f"StatefulSet.apps {namespace}/database"]
    assert parts(shared_cluster, namespace) == ["deployment", "static"]
    pods = shared_cluster.api.request(
        "GET", f"/api/v1/namespaces/{namespace}/pods", query={"labelSelector": "app=database"}
    )
    assert pods.body["items"] == []
    claims = shared_cluster.api.request("GET", f"/api/v1/namespaces/{namespace}/persistentvolumeclaims")
    assert [c["metadata"]["name"] for c in claims.body["items"]] == ["data-database-0"]


def parts(cluster: Cluster, namespace: str) -> list[str]:
    sets = cluster.api.request("GET", f"/apis/installersets.io/v1alpha1/namespaces/{namespace}/installersets")
    return sorted(one["spec"]["part"] for one in sets.body["items"])


def versions(directory: Path, namespace: str) -> tuple[Path, Path]:
    """The same small component without a StatefulSet and with one."""
    workload = {
        "selector": {"matchLabels": {"app": "database"}},
        "template": {
            "metadata": {"labels": {"app": "database"}},
            "spec": {"containers": [{"name": "database", "image": "database"}]},
        },
    }
    common: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": namespace}},
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "database", "namespace": namespace},
            "spec": {"clusterIP": "None", "selector": {"app": "database"}, "ports": [{"name": "sql", "port": 5432}]},
        },
    ]
    database = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "database", "namespace": namespace},
        "spec": {"serviceName": "database", "replicas": 2, **workload},
    }
    without, with_ = directory / "without.yaml", directory / "with.yaml"
    without.write_text(yaml.safe_dump_all(common))
    with_.write_text(yaml.safe_dump_all([*common, database]))
    return without, with_
