"""Which rights an input needs."""

from __future__ import annotations

import pytest

from hook.errors import InvalidInput
from hook.rights.right import Need, Right
from tests.unit.rights.needed import needs, on, rights

CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: front}}"
OTHER = "{apiVersion: v1, kind: ConfigMap, metadata: {name: banner}}"
SECRET = "{apiVersion: v1, kind: Secret, metadata: {name: front}}"
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"
CLAIM = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {storageClassName: fast}}"
DEPLOYMENT = """
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: front}
    spec: {selector: {matchLabels: {app: front}}, template: {}}
"""
AUTOSCALER = """
    apiVersion: autoscaling/v2
    kind: HorizontalPodAutoscaler
    metadata: {name: front}
    spec:
      maxReplicas: 3
      scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: front}
"""
CRD = """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: mice.example.org}
    spec:
      group: example.org
      scope: Namespaced
      names: {kind: Mouse, plural: mice}
      versions: [{name: v1, served: true, storage: true}]
"""
MOUSE = "{apiVersion: example.org/v1, kind: Mouse, metadata: {name: jerry}}"
WEBHOOK = """
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata: {name: check}
    webhooks:
      - name: check.example.org
        clientConfig: {service: {namespace: hooks, name: check}}
"""


def test_what_is_ready_by_existing_is_read_and_written_by_name_and_never_listed() -> None:
    found = rights(CONFIG_MAP)
    assert on(found, "configmaps", "front") == {"get", "create", "patch", "delete"}
    assert on(found, "configmaps", "") == set()


def test_what_has_a_status_is_watched_in_its_namespace() -> None:
    found = rights(DEPLOYMENT)
    assert on(found, "deployments", "") == {"list", "watch"}
    assert {right.namespace for right in found if right.plural == "deployments"} == {"shop"}


def test_secrets_are_granted_by_name_even_if_kinds_are_wanted_as_a_whole() -> None:
    found = rights(f"{SECRET}\n---\n{CONFIG_MAP}", named=False)
    assert on(found, "configmaps", "") == {"get", "create", "patch", "delete"}
    assert on(found, "secrets", "front") == {"get", "create", "patch", "delete"}
    assert on(found, "secrets", "") == set()


@pytest.mark.parametrize(
    ("manifest", "plural"),
    [(NAMESPACE, "namespaces"), (CLAIM, "persistentvolumeclaims"), (CRD, "customresourcedefinitions")],
)
def test_kinds_that_are_kept_by_rule_are_deleted_only_when_that_is_asked_for(manifest: str, plural: str) -> None:
    assert "delete" not in on(rights(manifest), plural)
    kind = {"namespaces": "Namespace", "persistentvolumeclaims": "PersistentVolumeClaim"}
    wanted = frozenset({kind.get(plural, "CustomResourceDefinition")})
    assert "delete" in on(rights(manifest, prune_kinds=wanted), plural)


def test_what_only_a_previous_generation_has_can_be_pruned_and_not_created() -> None:
    found = rights(CONFIG_MAP, f"{CONFIG_MAP}\n---\n{OTHER}")
    assert on(found, "configmaps", "banner") == {"get", "patch", "delete"}
    assert "create" in on(found, "configmaps", "front")


def test_rights_to_prune_are_told_from_those_that_a_run_cannot_do_without() -> None:
    assert Right("", "configmaps", "delete", "shop", "banner") in rights(CONFIG_MAP, OTHER, Need.PRUNE)
    assert Right("", "configmaps", "patch", "shop", "front") in rights(CONFIG_MAP, OTHER, Need.RUN)


def test_custom_resources_take_plural_and_scope_from_their_definition() -> None:
    assert Right("example.org", "mice", "patch", "shop", "jerry") in rights(f"{CRD}\n---\n{MOUSE}")


def test_a_definition_of_a_previous_generation_will_do() -> None:
    assert Right("example.org", "mice", "patch", "shop", "jerry") in rights(MOUSE, CRD)


def test_a_kind_that_nothing_defines_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match=r"Mouse\.example\.org"):
        needs(MOUSE).rights()


def test_called_services_are_read_by_name_and_their_endpoints_watched() -> None:
    found = rights(WEBHOOK)
    assert Right("", "services", "get", "hooks", "check") in found
    assert {right.verb for right in found if right.plural == "endpointslices" and right.namespace == "hooks"} == {
        "list",
        "watch",
    }


def test_pods_are_listed_where_workloads_are() -> None:
    assert "list" in on(rights(DEPLOYMENT, need=Need.RUN), "pods")
    assert on(rights(CONFIG_MAP), "pods") == set()


def test_autoscalers_are_listed_where_something_may_be_scaled_by_one_from_elsewhere() -> None:
    listing = Right("autoscaling", "horizontalpodautoscalers", "list", "shop")
    assert listing in rights(DEPLOYMENT, need=Need.OPTIONAL)
    assert listing not in rights(CONFIG_MAP)
    assert listing not in rights(f"{DEPLOYMENT}\n---\n{AUTOSCALER}", need=Need.OPTIONAL)


def test_sets_lease_and_events_are_in_the_namespace_of_the_sets() -> None:
    found = rights(CONFIG_MAP)
    assert on(found, "installersets") == {"get", "list", "create", "update", "delete"}
    assert on(found, "installersets/status") == {"update"}
    assert on(found, "leases", "handoff-shop") == {"get", "update", "delete"}
    assert on(found, "leases", "") == {"create"}
    assert on(found, "events") == {"create", "list"}
    assert {right.namespace for right in found if right.plural in ("installersets", "leases", "events")} == {"sets"}


def test_jobs_are_read_in_the_namespace_of_the_pod() -> None:
    assert Right("batch", "jobs", "get", "jobs-here") in rights(CONFIG_MAP, job_namespace="jobs-here")
    assert on(rights(CONFIG_MAP), "jobs") == set()


def test_the_definition_of_sets_is_written_by_name_unless_somebody_else_does() -> None:
    name = "installersets.installersets.io"
    assert on(rights(CONFIG_MAP), "customresourcedefinitions", name) == {"get", "create", "patch"}
    assert on(rights(CONFIG_MAP, definition=False), "customresourcedefinitions") == set()


def test_a_namespace_that_may_be_pruned_is_looked_through() -> None:
    found = rights(NAMESPACE, prune_kinds=frozenset({"Namespace"}))
    assert Right("*", "*", "list", "shop") in found
    assert not [right for right in rights(NAMESPACE) if right.group == "*"]


def test_a_rule_of_ones_own_makes_a_kind_watched() -> None:
    found = rights(CONFIG_MAP, own_rule=lambda _obj, kind: kind.kind == "ConfigMap")
    assert on(found, "configmaps", "") == {"list", "watch"}


def test_no_right_is_a_wildcard() -> None:
    everything = "\n---\n".join((CONFIG_MAP, SECRET, NAMESPACE, CLAIM, DEPLOYMENT, CRD, MOUSE, WEBHOOK))
    assert not [right for right in rights(everything, OTHER) if "*" in str(right)]
