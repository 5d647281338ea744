"""A handoff of what the Tekton operator keeps, with the operator at work."""

from __future__ import annotations

from tests.hook_process import handoff
from tests.integration.tekton.operated_component import DEFINITION, WEBHOOK, OperatedComponent, written
from tests.live_objects import Object
from tests.tekton.process import OperatorProcess


def test_the_operators_own_sets_are_handed_over_without_a_gap(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    """And what comes of it stands: the operator has nothing against it."""
    operated.install()

    with operated.probed():
        result = operated.run(2)
        assert result.exit_code == 0, str(result)
        operated.assert_finished(2)
        running_operator.until_idle(timeout=60.0)

    operated.assert_finished(2)


def test_a_second_run_writes_nothing(operated: OperatedComponent, running_operator: OperatorProcess) -> None:
    first = operated.run_alone(1)
    assert first.exit_code == 0, str(first)
    running_operator.until_idle(timeout=60.0)
    before = operated.state()

    second = operated.run_alone(1)

    assert second.exit_code == 0, str(second)
    assert written(before, operated.state()) == {}
    assert not {"created", "changed", "pruned"} & {name for name, count in second.report["counts"].items() if count}


def test_a_revert_hands_sets_that_a_run_made_back_also_when_the_operator_was_restarted(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    operated.install()
    assert operated.run(2).exit_code == 0
    made = operated.tekton_sets()
    running_operator.restart()

    with operated.probed():
        result = operated.run(1)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(1)
    assert not set(made) & set(operated.tekton_sets())


def test_what_old_pods_need_stays_until_the_new_ones_are_ready_although_the_operator_works(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    operated.install()
    operated.cluster.cordon()

    with handoff(operated.cluster, *operated.command(2)) as process:
        process.until(lambda: process.logged("waiting"), "it waits for the new pods")
        for name in operated.new_sets():
            operated.sets.touch(name)
        running_operator.until_idle()
        live = operated.live(2)
        assert live["ConfigMap settings"]["data"] == {"greeting": "hello", "old": "yes", "new": "yes"}
        allowed = {resource for rule in live["Role app"]["rules"] for resource in rule["resources"]}
        assert allowed == {"pods", "events", "leases"}
        assert [port["name"] for port in live["Service app"]["spec"]["ports"]] == ["http", "legacy"]
        operated.cluster.uncordon()
        result = process.wait()

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)
    assert [port["name"] for port in operated.live(2)["Service app"]["spec"]["ports"]] == ["http"]


def test_a_workload_that_never_becomes_ready_leaves_the_old_sets_with_what_only_they_have(
    operated: OperatedComponent, running_operator: OperatorProcess
) -> None:
    operated.install()
    operated.cluster.cordon()

    with operated.probed():
        result = operated.run(2, "--timeout", "12s")
        running_operator.until_idle()

    assert result.exit_code == 124, str(result)
    assert {"ConfigMap only-in-1", f"{WEBHOOK} {operated.name}-1"} <= operated.live(1).keys()
    static, deployed = operated.old_sets
    assert operated.listed(static) == operated.only_old()
    assert operated.listed(deployed) == []
    assert operated.saved() is not None


def test_obsolete_resources_go_or_stay_by_kind_and_nothing_is_garbage_collected(operated: OperatedComponent) -> None:
    """The operator's finalizer leaves StatefulSets, claims and definitions alone; garbage collection takes what the
    set owns."""
    definition = _definition(operated)
    alone = [operated.claim(), definition, _database(), operated.webhook("alone")]
    operated.install([*operated.objects(1), *alone])
    before = operated.live_of(alone)

    result = operated.run(2)

    assert result.exit_code == 0, str(result)
    operated.assert_finished(2)
    left = operated.live_of(alone)
    assert left.keys() == {"PersistentVolumeClaim data", f"{DEFINITION} {definition['metadata']['name']}"}
    for name, obj in left.items():
        assert obj["metadata"]["uid"] == before[name]["metadata"]["uid"]
        assert "deletionTimestamp" not in obj["metadata"]
    assert "ownerReferences" not in left["PersistentVolumeClaim data"]["metadata"]
    kept = [entry["name"] for one in operated.records() for entry in one["spec"].get("retained", ())]
    assert sorted(kept) == sorted(["data", definition["metadata"]["name"]])


def test_a_claim_that_both_versions_have_is_handed_over(operated: OperatedComponent) -> None:
    """The finalizer passes claims over, and garbage collection does not."""
    claim = operated.claim()
    operated.cluster.load([operated.volume()])
    operated.install([*operated.objects(1), claim])
    before = operated.live_of([claim])

    result = operated.run(2, objects=[*operated.objects(2), claim])

    assert result.exit_code == 0, str(result)
    (stands,) = operated.live_of([claim]).values()
    assert stands["metadata"]["uid"] == before["PersistentVolumeClaim data"]["metadata"]["uid"]
    (owner,) = stands["metadata"]["ownerReferences"]
    assert owner["name"] in operated.new_sets()


def _database() -> Object:
    pod = {
        "metadata": {"labels": {"app": "old-store"}},
        "spec": {"containers": [{"name": "main", "image": "example.test/old-store:1"}]},
    }
    spec = {"serviceName": "app", "replicas": 1, "selector": {"matchLabels": {"app": "old-store"}}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "old-store"}, "spec": spec}


def _definition(operated: OperatedComponent) -> Object:
    group = f"{operated.name}.example.org"
    schema = {"openAPIV3Schema": {"type": "object"}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": DEFINITION,
        "metadata": {"name": f"widgets.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
