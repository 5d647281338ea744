"""Back to what the operator had installed itself, which Git never had."""

from __future__ import annotations

from tests.cluster.probe import Probe, targets_of
from tests.hook_process import run_handoff
from tests.integration.tekton.operated_component import OperatedComponent


def test_what_the_operators_sets_listed_is_the_source_of_a_handoff_back(operated: OperatedComponent) -> None:
    operated.install()
    before = operated.live(1)
    secret = f"secret://{operated.name}/handoff-{operated.name}-tekton-sets"
    never_ready = operated.objects(2)
    for obj in never_ready:
        if obj["kind"] == "Deployment":
            obj["spec"]["template"]["metadata"]["annotations"] = {"pods.test/ready-after": "never"}
    stays = [obj for obj in operated.objects(1) if f"{obj['kind']} {obj['metadata']['name']}" in before]
    targets = targets_of(operated.cluster.api, stays, namespace=operated.name)

    with Probe(operated.cluster.kubeconfig, targets) as probe:
        assert operated.run(2, "--timeout", "15s", objects=never_ready).exit_code == 124
        named = ("--component", operated.name, "--namespace", operated.name, "--version", "v1")
        result = run_handoff(operated.cluster, "run", "--source", secret, *named)

    assert result.exit_code == 0, str(result)
    assert probe.report.misses == 0
    operated.assert_finished(1)
    for name, obj in operated.live(1).items():
        assert obj["metadata"]["uid"] == before[name]["metadata"]["uid"], name
