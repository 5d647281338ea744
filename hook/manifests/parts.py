"""The parts of a generation: each is recorded by sets of its own."""

from __future__ import annotations

from enum import StrEnum

from hook.manifests.identity import Kind


class Part(StrEnum):
    """In the order in which people read them: what stands still, then what runs."""

    STATIC = "static"
    DEPLOYMENT = "deployment"
    STATEFULSET = "statefulset"


_PARTS = {
    Kind("", "Service"): Part.DEPLOYMENT,
    Kind("apps", "Deployment"): Part.DEPLOYMENT,
    Kind("apps", "StatefulSet"): Part.STATEFULSET,
}


def part_of(kind: Kind) -> Part:
    """`deployment` for Deployments and Services, `statefulset` for StatefulSets, `static` for the rest."""
    return _PARTS.get(kind, Part.STATIC)
