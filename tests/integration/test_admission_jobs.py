"""ingress-nginx v1.2.0 to v1.12.1: Jobs make the certificate of its webhook configuration, and change themselves."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import trustme

from tests.cluster.cluster import Cluster
from tests.cluster.history import Event, History
from tests.cluster.probe import Probe, ProbeReport, Target, targets_of
from tests.corpus import corpus, objects_of
from tests.hook_process import HookResult, run_handoff

NAMESPACE = "ingress-nginx"
WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/ingress-nginx-admission"
JOBS = {"ingress-nginx-admission-create", "ingress-nginx-admission-patch"}


class CertificateJob:
    """Does what the pod of the Job `ingress-nginx-admission-patch` does, where pods are simulated.

    Each time that the Job has completed, it writes the CA into the webhook configuration, as soon as that is there.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.authority = base64.b64encode(trustme.CA().cert_pem.bytes()).decode()
        self.patched: list[str] = []  # uids of the Jobs that it was done for

    def __enter__(self) -> CertificateJob:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            path = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/ingress-nginx-admission-patch"
            job = self._cluster.api.request("GET", path)
            if job.status != 200:
                continue
            uid, conditions = job.body["metadata"]["uid"], job.body.get("status", {}).get("conditions", [])
            if uid not in self.patched and any(c["type"] == "Complete" for c in conditions):
                patch = [{"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": self.authority}]
                answer = self._cluster.api.request(
                    "PATCH",
                    WEBHOOKS,
                    patch,
                    query={"fieldManager": "kube-webhook-certgen"},
                    content_type="application/json-patch+json",
                )
                if answer.status == 200:
                    self.patched.append(uid)


@dataclass(frozen=True)
class Upgrade:
    first: HookResult
    second: HookResult
    jobs: CertificateJob
    webhooks: dict[str, Any]
    history: list[Event]
    probe: ProbeReport
    before: dict[Target, str]  # uids
    after: dict[Target, str]


@pytest.fixture(scope="module")
def upgrade(module_cluster: Cluster) -> Iterator[Upgrade]:
    old, new = corpus(NAMESPACE, "v1.2.0"), corpus(NAMESPACE, "v1.12.1")
    cluster = module_cluster
    common = (f"--component={NAMESPACE}", f"--namespace={NAMESPACE}", "--timeout=3m")
    with CertificateJob(cluster) as jobs:
        first = run_handoff(cluster, "run", "--source", old, *common)
        assert first.exit_code == 0, str(first)
        targets = targets_of(cluster.api, objects_of(old))
        history = History(cluster.api, targets)
        before = uids(cluster, targets)
        with Probe(cluster.kubeconfig, [target for target in targets if target.kind != "Job"]) as probe:
            second = run_handoff(cluster, "run", "--source", new, *common)
        assert second.exit_code == 0, str(second)
        webhooks = cluster.api.request("GET", WEBHOOKS).body
        yield Upgrade(first, second, jobs, webhooks, history.events(), probe.report, before, uids(cluster, targets))


def uids(cluster: Cluster, targets: list[Target]) -> dict[Target, str]:
    return {target: cluster.api.request("GET", target.path).body["metadata"]["uid"] for target in targets}


def test_an_install_ends_when_the_job_has_written_the_authority(upgrade: Upgrade) -> None:
    assert upgrade.first.report["counts"]["created"] == len(upgrade.before)
    assert len(upgrade.jobs.patched) >= 1


def test_a_changed_job_makes_room_for_the_new_one_and_is_reported(upgrade: Upgrade) -> None:
    assert {name.rpartition("/")[2] for name in upgrade.second.objects("recreated")} == JOBS
    replaced = {target.name for target, uid in upgrade.before.items() if upgrade.after[target] != uid}
    assert replaced == JOBS


def test_the_new_job_comes_when_the_old_one_is_gone_and_the_old_one_had_ended(upgrade: Upgrade) -> None:
    for name in JOBS:
        events = [e for e in upgrade.history if e.target.kind == "Job" and e.target.name == name]
        (gone,) = (e for e in events if e.type == "DELETED")
        (made,) = (e for e in events if e.type == "ADDED")
        assert gone.revision < made.revision
        assert gone.uid != made.uid
        assert any(c["type"] == "Complete" for c in gone.object["status"]["conditions"])


def test_the_authority_that_the_job_wrote_survives_the_upgrade(upgrade: Upgrade) -> None:
    (webhook,) = upgrade.webhooks["webhooks"]
    assert webhook["clientConfig"]["caBundle"] == upgrade.jobs.authority
    managers = {entry["manager"] for entry in upgrade.webhooks["metadata"]["managedFields"]}
    assert "kube-webhook-certgen" in managers


def test_at_no_moment_of_the_upgrade_was_the_webhook_without_an_authority(upgrade: Upgrade) -> None:
    seen = [e for e in upgrade.history if e.target.kind == "ValidatingWebhookConfiguration"]
    assert seen
    for event in seen:
        assert event.object["webhooks"][0]["clientConfig"].get("caBundle") == upgrade.jobs.authority


def test_all_but_the_jobs_is_there_the_whole_time(upgrade: Upgrade) -> None:
    assert upgrade.probe.reads > 0
    assert [str(resource) for resource in upgrade.probe.gone()] == []
