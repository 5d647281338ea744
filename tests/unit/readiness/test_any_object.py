"""No object, however odd, makes a rule raise, and no odd object is taken for ready by mistake."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hook.manifests.annotations import READY_WHEN, WAIT_FOR
from hook.manifests.identity import Object
from hook.readiness.assess import assess, min_ready_seconds
from hook.readiness.causes import pod_cause
from hook.readiness.offline import FileRelated
from hook.readiness.related import Unrelated
from hook.readiness.rules import rules_from
from hook.readiness.state import Readiness, State
from hook.readiness.timeouts import time_limit
from tests.unit.readiness.samples import condition, daemon_set, deployment, live, stateful_set, widget

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["True", "False", "Ready", "Running", "Pending", "Failed", "2", "OnDelete", "2026-01-01T00:00:00Z"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(
                "type status reason conditions phase observedGeneration replicas metadata spec template name".split()  # noqa: SIM905
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)

_CONDITIONS = [condition("Ready"), condition("Complete"), condition("Established"), condition("Available")]
_CONTAINERS = [{"name": "a", "ready": True, "state": {"running": {}}, "lastState": {"terminated": {"exitCode": 1}}}]
_OWNERS = [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True}]
_CRD_SPEC = {
    "group": "example.org",
    "names": {"kind": "Gear"},
    "versions": [{"name": "v1", "served": True}],
    "conversion": {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"service": {"namespace": "ns", "name": "hook"}}},
    },
}
_WEBHOOKS = [
    {"name": "w", "rules": [{}], "clientConfig": {"service": {"namespace": "ns", "name": "hook"}, "caBundle": "eA=="}}
]
_ASKING = {"annotations": {WAIT_FOR: "endpoints,load-balancer", READY_WHEN: "status.phase == 'Running'"}}

COMPLETE: dict[str, Object] = {
    "Deployment": deployment({"minReadySeconds": 1}),
    "StatefulSet": stateful_set(),
    "DaemonSet": daemon_set(),
    "ReplicaSet": live("apps/v1", "ReplicaSet", spec={"replicas": 0}, status={"observedGeneration": 2, "replicas": 0}),
    "Pod": live(
        "v1",
        "Pod",
        metadata={"ownerReferences": _OWNERS, "labels": {"app": "x"}},
        spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]},
        status={"phase": "Running", "conditions": _CONDITIONS, "containerStatuses": _CONTAINERS},
    ),
    "Job": live("batch/v1", "Job", spec={"suspend": False}, status={"conditions": _CONDITIONS, "active": 0}),
    "PersistentVolumeClaim": live(
        "v1", "PersistentVolumeClaim", spec={"storageClassName": "x"}, status={"phase": "Pending"}
    ),
    "StorageClass": live("storage.k8s.io/v1", "StorageClass", volumeBindingMode="WaitForFirstConsumer"),
    "Namespace": live("v1", "Namespace", status={"phase": "Active"}),
    "Service": live(
        "v1",
        "Service",
        metadata={"annotations": {WAIT_FOR: "endpoints"}},
        spec={"type": "LoadBalancer", "clusterIP": "10.0.0.1", "selector": {"app": "x"}},
        status={"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}},
    ),
    "EndpointSlice": live(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        metadata={"labels": {"kubernetes.io/service-name": "x"}},
        endpoints=[{"addresses": ["a"], "conditions": {"ready": True}}],
    ),
    "Ingress": live("networking.k8s.io/v1", "Ingress", metadata={"annotations": {WAIT_FOR: "load-balancer"}}),
    "CustomResourceDefinition": live(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=_CRD_SPEC, status={"conditions": _CONDITIONS}
    ),
    "APIService": live("apiregistration.k8s.io/v1", "APIService", status={"conditions": _CONDITIONS}),
    "Webhooks": live("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhooks=_WEBHOOKS),
    "PodDisruptionBudget": live("policy/v1", "PodDisruptionBudget", status={"observedGeneration": 2}),
    "Widget": widget(observedGeneration=2, conditions=_CONDITIONS, phase="Running"),
    "Asking": live("example.org/v1", "Gadget", metadata=_ASKING, status={"phase": "Running"}),
}

RULES = rules_from(
    [{"apiVersion": "example.org/v1", "kind": "Widget", "current": "status.phase == 'x'", "failed": "status.n > 1"}]
)


def judge(obj: Any, *others: Any) -> Readiness:
    """Everything that looks at an object, as the command and a run do."""
    related = FileRelated([obj, *others])
    verdict = assess(obj, related)
    assess(obj, Unrelated(), manifest=obj if isinstance(obj, dict) else None, rules=RULES)
    if isinstance(obj, dict):
        related.pods_of(obj)
        min_ready_seconds(obj)
        time_limit(obj)
        pod_cause([obj], [obj])
    assert isinstance(verdict, Readiness)
    assert verdict.reason
    return verdict


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every field and entry."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def replaced(obj: Object, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(obj)
    inner: Any = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_arbitrary_json_is_judged(value: Any) -> None:
    judge(value)


@given(
    api_version=st.sampled_from([obj["apiVersion"] for obj in COMPLETE.values()]) | st.text(max_size=8),
    kind=st.sampled_from([obj["kind"] for obj in COMPLETE.values()]),
    parts=st.dictionaries(st.sampled_from(["spec", "status", "webhooks", "data"]), JSON),
    metadata=st.dictionaries(st.sampled_from(["generation", "labels", "annotations", "managedFields"]), JSON),
)
@settings(max_examples=500, deadline=None)
def test_arbitrary_parts_of_a_known_kind_are_judged(api_version: str, kind: str, parts: Any, metadata: Any) -> None:
    judge({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x", **metadata}, **parts})


@given(data=st.data())
@settings(max_examples=600, deadline=None)
def test_a_complete_object_with_any_one_field_replaced_is_judged(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(COMPLETE)))
    path = data.draw(st.sampled_from(places(COMPLETE[name])))
    judge(replaced(COMPLETE[name], path, data.draw(JSON)), *COMPLETE.values())


@pytest.mark.parametrize("wrong", ["text", 1, [], {}, True, None, [None], {"a": None}])
@pytest.mark.parametrize("name", sorted(COMPLETE))
def test_every_single_field_of_a_complete_object_may_be_of_a_wrong_type(name: str, wrong: Any) -> None:
    for path in places(COMPLETE[name]):
        judge(replaced(COMPLETE[name], path, wrong), *COMPLETE.values())


@pytest.mark.parametrize("name", ["Deployment", "StatefulSet", "DaemonSet", "Pod", "Job", "APIService", "Widget"])
@pytest.mark.parametrize("wrong", ["text", 7, [], True, None])
def test_a_status_of_a_wrong_type_is_never_ready(name: str, wrong: Any) -> None:
    verdict = judge({**COMPLETE[name], "status": wrong})
    assert verdict.state is State.IN_PROGRESS
