"""The same component, kept by the Tekton operator: its first step takes over the sets that the operator made."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from tests.cluster.api import Api
from tests.cluster.cluster import Cluster
from tests.integration.tekton.operated_component import OperatedComponent
from tests.live_objects import Object
from tests.sweeps.subject import Subject
from tests.tekton.definitions import PIPELINES_PATH, SETS_PATH
from tests.tekton.installation import HASH, LAST_APPLIED

_NAMESPACE = "installersets.io/namespace"
# When the operator was last at work on an object, and whether it merged then or found all well, is a matter of chance.
_OF_THE_OPERATOR = (HASH, LAST_APPLIED, "installersets.io/touched")


class OperatedSubject(Subject):
    """Version 1 stands from the beginning, with no record of ours."""

    NOTHING: ClassVar[dict[str, Any]] = {**Subject.NOTHING, "operator's sets": {}, "saved": False}
    STANDS_FROM: ClassVar[str] = "install"

    @classmethod
    def create(cls, api: Api, kubeconfig: Path, name: str, directory: Path) -> Self:
        """Has the operator install it, too."""
        subject = super().create(api, kubeconfig, name, directory)
        subject._component.install(subject.objects(1))
        return subject

    def destroy(self) -> None:
        super().destroy()
        self.api.request("DELETE", f"{PIPELINES_PATH}/{self.namespace}")

    def run(self, version: int) -> list[str]:
        return [*super().run(version), *self._component.named()]

    def live(self) -> dict[str, Object]:
        """With the names of owners alone, and without what the operator notes."""
        live = super().live()
        for obj in live.values():
            metadata = obj["metadata"]
            _forget_notes(metadata)
            if "ownerReferences" in metadata:
                metadata["ownerReferences"] = [reference["name"] for reference in metadata["ownerReferences"]]
        return live

    def state(self) -> dict[str, Any]:
        own = {}
        for one in self.api.request("GET", SETS_PATH).body["items"]:
            metadata = one["metadata"]
            if metadata["name"] in self._component.old_sets or _annotations(one).get(_NAMESPACE) == self.namespace:
                _forget_notes(metadata)
                kept = {key: metadata.get(key) for key in ("labels", "annotations", "finalizers")}
                own[metadata["name"]] = {**kept, "spec": one["spec"], "deleted": "deletionTimestamp" in metadata}
        path = f"/api/v1/namespaces/{self.namespace}/secrets/{self._save}"
        saved = self.api.request("GET", path).status == 200
        return {**super().state(), **self.anonymous({"operator's sets": own, "saved": saved})}

    @property
    def _component(self) -> OperatedComponent:
        return OperatedComponent(Cluster(self.kubeconfig), self.namespace, self.directory)

    @property
    def _save(self) -> str:
        component = self.place[self.place.index("--component") + 1]
        return f"handoff-{component}-tekton-sets"


def _annotations(obj: Object) -> dict[str, str]:
    return obj["metadata"].get("annotations") or {}


def _forget_notes(metadata: Object) -> None:
    for key in _OF_THE_OPERATOR:
        (metadata.get("annotations") or {}).pop(key, None)
