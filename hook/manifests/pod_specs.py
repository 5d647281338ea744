"""Where the kinds of Kubernetes keep their Pod specs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hook.manifests.identity import Kind, Object, split_api_version

_TEMPLATE = ("spec", "template", "spec")
_PLACES: dict[Kind, tuple[str, ...]] = {
    Kind("", "Pod"): ("spec",),
    Kind("", "PodTemplate"): ("template", "spec"),
    Kind("", "ReplicationController"): _TEMPLATE,
    Kind("apps", "DaemonSet"): _TEMPLATE,
    Kind("apps", "Deployment"): _TEMPLATE,
    Kind("apps", "ReplicaSet"): _TEMPLATE,
    Kind("apps", "StatefulSet"): _TEMPLATE,
    Kind("batch", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
    Kind("batch", "Job"): _TEMPLATE,
}

CONTAINER_LISTS = ("containers", "initContainers", "ephemeralContainers")


def pod_spec(obj: Object) -> tuple[str, dict[str, Any]] | None:
    """The path (`spec.template.spec`) and the Pod spec of a workload; None where there is none to be read."""
    group, _ = split_api_version(obj["apiVersion"])
    place = _PLACES.get(Kind(group, obj["kind"]))
    found: Any = obj
    for step in place or ():
        found = found.get(step) if isinstance(found, dict) else None
    return (".".join(place), found) if place and isinstance(found, dict) else None


def containers(path: str, spec: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each container of a Pod spec, with its path."""
    for key in CONTAINER_LISTS:
        listed = spec.get(key)
        for index, container in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(container, dict):
                yield f"{path}.{key}[{index}]", container
