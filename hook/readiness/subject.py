"""The object that is judged, with what its rule may look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hook.manifests.identity import Kind, Object, split_api_version
from hook.readiness.annotations import wait_for
from hook.readiness.conditions import Conditions, conditions_of
from hook.readiness.fields import generation, mapping, text
from hook.readiness.related import Related
from hook.readiness.state import Readiness, in_progress


@dataclass(frozen=True, slots=True)
class Subject:
    """A live object; `manifest` is what was applied as it, where that is known.

    The properties raise OddField where the object has another shape than the API gives it.
    """

    obj: Mapping[str, Any]
    related: Related
    manifest: Object | None = None

    @property
    def kind(self) -> Kind:
        group, _ = split_api_version(self.obj["apiVersion"])
        return Kind(group, self.obj["kind"])

    @property
    def version(self) -> str:
        return split_api_version(self.obj["apiVersion"])[1]

    @property
    def metadata(self) -> Mapping[str, Any]:
        return mapping(self.obj, "metadata")

    @property
    def name(self) -> str:
        return text(self.metadata, "name", "metadata")

    @property
    def namespace(self) -> str:
        return text(self.metadata, "namespace", "metadata")

    @property
    def spec(self) -> Mapping[str, Any]:
        return mapping(self.obj, "spec")

    @property
    def status(self) -> Mapping[str, Any]:
        return mapping(self.obj, "status")

    @property
    def conditions(self) -> Conditions:
        return conditions_of(self.obj)

    @property
    def wait_for(self) -> frozenset[str]:
        """What the manifest asks to be waited for; the live object's word where there is no manifest."""
        return wait_for(self.obj if self.manifest is None else self.manifest)

    def unobserved(self, *, required: bool) -> Readiness | None:
        """In progress while the status is of another generation, or, if `required`, of none; else None."""
        now = generation(self.metadata, "generation", "metadata")
        seen = generation(self.status, "observedGeneration", "status")
        if seen is None and required:
            return in_progress("its controller has not looked at it yet", "a status with an observedGeneration")
        if seen is not None and now is not None and seen != now:
            return in_progress(
                f"its status is of generation {seen}, the object is at {now}", f"a status of generation {now}"
            )
        return None
