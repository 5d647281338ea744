"""What a rule may look at besides the object itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final, Literal, Protocol

from hook.manifests.identity import Kind, Object


class _Missing(Enum):
    MISSING = "missing"


MISSING: Final = _Missing.MISSING
"""It was looked for and is not there (None: it could not be looked for)."""

Missing = Literal[_Missing.MISSING]


class Related(Protocol):
    """Answers about other objects; every method may answer None: cannot tell."""

    def service(self, namespace: str, name: str) -> Object | Missing | None:
        """The Service of that name."""

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        """How many ready addresses stand behind a Service."""

    def pods_of(self, obj: Mapping[str, Any]) -> Sequence[Object] | None:
        """The Pods of a workload, or those that a Service selects."""

    def storage_class_mode(self, name: str | None) -> str | None:
        """`Immediate` or `WaitForFirstConsumer`: the volumeBindingMode of a StorageClass; None is the default one."""

    def claim_is_mounted(self, namespace: str, name: str) -> bool | None:
        """Whether a Pod, or a workload's template, mounts that PersistentVolumeClaim."""

    def served(self, group: str, version: str, kind: str) -> bool | None:
        """Whether discovery lists that kind at that version."""

    def has_status(self, kind: Kind, version: str) -> bool | None:
        """Whether the schema of a custom resource has a status."""

    def age_seconds(self, obj: Mapping[str, Any]) -> float | None:
        """Seconds since this generation of the object was applied, or first seen."""


class Unrelated:
    """Can tell nothing."""

    def service(self, namespace: str, name: str) -> Object | Missing | None:
        return None

    def ready_endpoints(self, namespace: str, service: str) -> int | None:
        return None

    def pods_of(self, obj: Mapping[str, Any]) -> Sequence[Object] | None:
        return None

    def storage_class_mode(self, name: str | None) -> str | None:
        return None

    def claim_is_mounted(self, namespace: str, name: str) -> bool | None:
        return None

    def served(self, group: str, version: str, kind: str) -> bool | None:
        return None

    def has_status(self, kind: Kind, version: str) -> bool | None:
        return None

    def age_seconds(self, obj: Mapping[str, Any]) -> float | None:
        return None
