"""Which PersistentVolumeClaims a Pod, or the Pods of a workload, mount."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hook.manifests.identity import Kind, split_api_version
from hook.readiness.fields import mapping, mappings, text

_POD = Kind("", "Pod")
_CRON_JOB = Kind("batch", "CronJob")
_STATEFUL_SET = Kind("apps", "StatefulSet")


def mounts_claim(obj: Mapping[str, Any], namespace: str, name: str) -> bool:
    """Whether a Pod or a workload (whatever has a Pod template) of that namespace mounts the claim.

    A StatefulSet mounts `<template>-<its name>-<ordinal>`, a Pod with a generic ephemeral volume
    `<its name>-<volume>`. Raises OddField for an object of another shape.
    """
    metadata = mapping(obj, "metadata")
    if text(metadata, "namespace") != namespace:
        return False
    group, _ = split_api_version(text(obj, "apiVersion"))
    kind, owner = Kind(group, text(obj, "kind")), text(metadata, "name")
    if name in _claims(_pod_spec(obj, kind), owner if kind == _POD else None):
        return True
    if kind != _STATEFUL_SET:
        return False
    for template in mappings(mapping(obj, "spec"), "volumeClaimTemplates", "spec"):
        prefix = f"{text(mapping(template, 'metadata'), 'name')}-{owner}-"
        if name.startswith(prefix) and name.removeprefix(prefix).isdecimal():
            return True
    return False


def pod_labels(obj: Mapping[str, Any]) -> Mapping[str, Any]:
    """The labels that the Pods of a workload get; {} for what has no template."""
    template = mapping(mapping(obj, "spec"), "template", "spec")
    return mapping(mapping(template, "metadata", "spec.template"), "labels", "spec.template.metadata")


def _pod_spec(obj: Mapping[str, Any], kind: Kind) -> Mapping[str, Any]:
    spec = mapping(obj, "spec")
    if kind == _POD:
        return spec
    if kind == _CRON_JOB:
        spec = mapping(mapping(spec, "jobTemplate", "spec"), "spec", "spec.jobTemplate")
    return mapping(mapping(spec, "template", "spec"), "spec", "spec.template")


def _claims(pod_spec: Mapping[str, Any], pod: str | None) -> Iterator[str]:
    for volume in mappings(pod_spec, "volumes", "spec"):
        if claim := mapping(volume, "persistentVolumeClaim"):
            yield text(claim, "claimName")
        if pod is not None and volume.get("ephemeral") is not None:
            yield f"{pod}-{text(volume, 'name')}"
