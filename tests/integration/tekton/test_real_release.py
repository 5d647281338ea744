"""Tekton Pipelines as the operator installs it, v0.58.0, and its handoff to v1.2.0 with the real manifests."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.cluster.probe import Probe, targets_of
from tests.hook_process import run_handoff
from tests.integration.tekton_release import NEW, OLD, objects, release
from tests.live_objects import Object
from tests.tekton.definitions import API_VERSION, PIPELINE, PIPELINES_PATH
from tests.tekton.lifecycle import CREATED_BY, RELEASE_VERSION, TYPE
from tests.tekton.process import OperatorProcess
from tests.tekton.sets import Sets

NAMESPACE = "tekton-handoff"
OLD_SETS = ("pipeline-main-static-9fq4d", "pipeline-main-deployment-x7k2p")


def install(cluster: Cluster) -> None:
    """The pair that the operator makes: all but Deployments and Services, and these."""
    body = {"apiVersion": API_VERSION, "kind": PIPELINE, "metadata": {"name": "pipeline"}, "spec": {}}
    made = cluster.api.request("POST", PIPELINES_PATH, body).body
    owner = {"apiVersion": API_VERSION, "kind": PIPELINE, "name": "pipeline", "uid": made["metadata"]["uid"]}
    owner |= {"controller": True, "blockOwnerDeletion": True}
    sets = Sets(cluster.api)
    for name in OLD_SETS:
        deployed = "deployment" in name
        manifests = [obj for obj in objects(OLD) if (obj["kind"] in ("Deployment", "Service")) is deployed]
        labels = {CREATED_BY: PIPELINE, TYPE: "main", RELEASE_VERSION: "1.0.0"}
        sets.create(name, manifests, labels=labels, owners=[owner])
    for name in OLD_SETS:
        sets.until_ready(name, timeout=90)


def test_a_release_is_handed_over_without_a_gap_and_keeps_every_uid(fresh_cluster: Cluster, tmp_path: Path) -> None:
    cluster = fresh_cluster
    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
    source = tmp_path / "release"
    source.mkdir()
    (source / "release.yaml").write_bytes(release(NEW).read_bytes())
    (source / "handoff.yaml").write_text(
        f"component: tekton-pipelines\nversion: {NEW}\ntektonSets: [{', '.join(OLD_SETS)}]\ntektonRelease: 1.0.1\n"
    )
    with OperatorProcess(cluster):
        install(cluster)
        shown = run_handoff(cluster, "status", "--component", "tekton-pipelines", "--namespace", NAMESPACE)
        assert [one["name"] for one in shown.report["tektonSets"]] == sorted(OLD_SETS)
        staying = [obj for obj in objects(OLD) if key(obj) in set(map(key, objects(NEW)))]
        targets = targets_of(cluster.api, staying)
        before = {str(target): cluster.api.request("GET", target.path).body["metadata"]["uid"] for target in targets}

        with Probe(cluster.kubeconfig, targets) as probe:
            result = run_handoff(cluster, "run", "--source", source, "--namespace", NAMESPACE)

        assert result.exit_code == 0, str(result)
        assert probe.report.misses == 0
        after = {str(target): cluster.api.request("GET", target.path).body["metadata"]["uid"] for target in targets}
        assert after == before
        sets = cluster.api.request("GET", "/apis/operator.tekton.dev/v1alpha1/tektoninstallersets").body["items"]
        assert len(sets) == 2
        for one in sets:
            assert one["metadata"]["labels"][RELEASE_VERSION] == "1.0.1"
            assert Sets(cluster.api).ready(one["metadata"]["name"])
        listed = sorted(key(manifest) for one in sets for manifest in one["spec"]["manifests"])
        assert listed == sorted(map(key, objects(NEW)))


def key(obj: Object) -> tuple[str, str, str, str]:
    group = obj["apiVersion"].rpartition("/")[0]
    return group, obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
