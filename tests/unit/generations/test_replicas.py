"""Whose the number of replicas is."""

from __future__ import annotations

from typing import Any

from hook.generations.replicas import drops_replicas, scale_targets, was_scaled, without_replicas
from hook.manifests.identity import Identity

REPLICAS = {"f:spec": {"f:replicas": {}}}
WEB = Identity("apps", "Deployment", "shop", "web")


def autoscaler(**target: str) -> dict[str, Any]:
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"scaleTargetRef": target},
    }


def entry(manager: str, fields: dict[str, Any], subresource: str = "") -> dict[str, Any]:
    return {"manager": manager, "operation": "Update", "fieldsV1": fields, "subresource": subresource}


def test_an_autoscaler_scales_what_it_names_in_its_own_namespace() -> None:
    found = scale_targets([autoscaler(apiVersion="apps/v1", kind="Deployment", name="web")])
    assert found == {WEB: "HorizontalPodAutoscaler.autoscaling shop/web"}


def test_other_objects_scale_nothing() -> None:
    assert scale_targets([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}}]) == {}


def test_what_the_autoscaler_has_set_shows_in_the_scale_subresource() -> None:
    assert was_scaled({"managedFields": [entry("kube-controller-manager", REPLICAS, "scale")]})


def test_a_person_who_scales_is_no_autoscaler() -> None:
    assert not was_scaled({"managedFields": [entry("kubectl", REPLICAS, "scale")]})


def test_a_status_that_the_controller_wrote_is_no_scaling() -> None:
    assert not was_scaled({"managedFields": [entry("kube-controller-manager", {"f:status": {}}, "status")]})


def test_the_number_is_dropped_when_only_we_hold_it() -> None:
    metadata = {"managedFields": [entry("ours", REPLICAS), entry("theirs", {"f:spec": {"f:paused": {}}})]}
    assert drops_replicas(metadata, lambda one: one["manager"] == "ours")


def test_a_number_that_somebody_else_holds_too_stays() -> None:
    metadata = {"managedFields": [entry("ours", REPLICAS), entry("theirs", REPLICAS)]}
    assert not drops_replicas(metadata, lambda one: one["manager"] == "ours")


def test_a_number_that_nobody_holds_is_not_dropped_by_us() -> None:
    assert not drops_replicas({"managedFields": [entry("ours", {"f:spec": {"f:paused": {}}})]}, lambda one: True)


def test_the_manifest_itself_is_left_as_it_is() -> None:
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3}}
    assert without_replicas(manifest)["spec"] == {}
    assert manifest["spec"] == {"replicas": 3}
