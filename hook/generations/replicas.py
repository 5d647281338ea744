"""Replicas that an autoscaler sets: the number is its own, whatever a manifest says or leaves out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hook.generations.field_sets import owns_path
from hook.generations.managed_fields import Entry
from hook.manifests.identity import Identity, Kind, Object, identify, split_api_version

SCALABLE = frozenset(Kind("apps", kind) for kind in ("Deployment", "ReplicaSet", "StatefulSet"))
AUTOSCALER = Kind("autoscaling", "HorizontalPodAutoscaler")
_REPLICAS = ("spec", "replicas")
# The autoscaler of Kubernetes writes through the scale subresource under this name.
_CONTROLLER = "kube-controller-manager"


def scale_targets(objects: Iterable[Object]) -> dict[Identity, str]:
    """What HorizontalPodAutoscalers among these objects scale, each with the autoscaler's identity as text."""
    found = {}
    for obj in objects:
        if identify(obj).of_kind != AUTOSCALER:
            continue
        target = (obj.get("spec") or {}).get("scaleTargetRef") or {}
        group, _ = split_api_version(str(target.get("apiVersion") or "apps/v1"))
        namespace = obj["metadata"].get("namespace") or ""
        scaled = Identity(group, str(target.get("kind")), namespace, str(target.get("name")))
        found[scaled] = str(identify(obj))
    return found


def was_scaled(metadata: Mapping[str, Any]) -> bool:
    """Whether an autoscaler has set the number of replicas, as managedFields tell."""
    return any(
        entry.get("subresource") == "scale" and entry.get("manager") == _CONTROLLER and _has_replicas(entry)
        for entry in metadata.get("managedFields") or ()
    )


def wants_replicas(desired: Object) -> bool:
    return (desired.get("spec") or {}).get("replicas") is not None


def without_replicas(desired: Object) -> Object:
    result = copy.deepcopy(desired)
    result["spec"].pop("replicas", None)
    return result


def drops_replicas(metadata: Mapping[str, Any], ours: Callable[[Entry], bool]) -> bool:
    """Whether the number would fall back to the default if those entries that are `ours` left it out: nobody else
    owns it."""
    owning = [entry for entry in metadata.get("managedFields") or () if _has_replicas(entry)]
    return bool(owning) and all(ours(entry) for entry in owning)


def _has_replicas(entry: Entry) -> bool:
    return owns_path(entry.get("fieldsV1") or {}, _REPLICAS)
