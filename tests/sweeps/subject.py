"""What a sweep hands over: a small component of two versions, under names of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from tests.cluster.api import Api
from tests.integration.small_component import PARTS, manifests
from tests.live_objects import Object, meant_all, read, sets_of

COMPONENT = "web"
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_SHORT = re.compile(r"\b[0-9a-f]{12}\b")
# Different in any two lives; and which sets were the last to be replaced, after a run that found some gone already.
_OF_ONE_LIFE = ("uid", "time", "lastTransitionTime", "observedGeneration", "facts", "replaces")
_RUN_MARK = re.compile(r"installersets\.io/job-.*")


@dataclass(frozen=True, slots=True)
class Subject:
    """The component in a namespace of its own; `directory` is where its manifests are written."""

    api: Api
    kubeconfig: Path
    namespace: str
    directory: Path

    # Its state when nothing of it is there, and the step from whose beginning on what both versions have is there.
    NOTHING: ClassVar[dict[str, Any]] = {"objects": {}, "sets": {}, "lease held": None}
    STANDS_FROM: ClassVar[str] = "upgrade"

    @classmethod
    def create(cls, api: Api, kubeconfig: Path, name: str, directory: Path) -> Self:
        """Makes the namespace. What is left there goes with `destroy`."""
        made = api.request("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        assert made.status == 201, made.body
        place = directory / name
        place.mkdir()
        return cls(api, kubeconfig, name, place)

    def destroy(self) -> None:
        """Deletes the namespace; does not wait for that."""
        self.api.request("DELETE", f"/api/v1/namespaces/{self.namespace}")

    @property
    def place(self) -> list[str]:
        """The arguments that say which component, and where."""
        return ["--component", COMPONENT, "--namespace", self.namespace]

    def run(self, version: int) -> list[str]:
        """The arguments of a run on a version."""
        source = self.directory / f"v{version}.json"
        if not source.exists():
            source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": self.objects(version)}))
        return ["run", "--source", str(source), "--version", f"v{version}", *self.place]

    def remove(self) -> list[str]:
        """The arguments of its removal."""
        return ["remove", *self.place]

    def objects(self, version: int) -> list[Object]:
        """The manifests of a version."""
        return manifests(version)

    def shared(self) -> list[Object]:
        """The manifests that both versions have."""
        second = {_key(item) for item in self.objects(2)}
        return [item for item in self.objects(1) if _key(item) in second]

    def live(self) -> dict[str, Object]:
        """What of both versions is there, as it was meant."""
        both = {_key(item): item for version in (1, 2) for item in self.objects(version)}
        return meant_all(read(self.api, both.values(), namespace=self.namespace))

    def uids(self, version: int) -> dict[str, str]:
        """The uid of each object of a version that is there."""
        found = read(self.api, self.objects(version), namespace=self.namespace)
        return {str(target): str(obj["metadata"]["uid"]) for target, obj in found.items()}

    def sets(self) -> list[Object]:
        """Its sets."""
        return sets_of(self.api, self.namespace, COMPONENT)

    def stands(self, version: int) -> bool:
        """Whether the sets of a version are all there, and none of them retires."""
        own = [one["spec"] for one in self.sets() if one["spec"]["version"] == f"v{version}"]
        return len(own) == len(PARTS) and not any("retiredBy" in spec for spec in own)

    @property
    def lease_path(self) -> str:
        """Where its Lease is."""
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases/handoff-{COMPONENT}"

    def lease(self) -> Object | None:
        """Its Lease, None if there is none."""
        answer = self.api.request("GET", self.lease_path)
        return answer.body if answer.status == 200 else None

    def free_lease(self) -> None:
        """Spares the next run the half minute for which the Lease of a killed one is waited for."""
        if self.lease() is not None:
            patch = {"spec": {"holderIdentity": ""}}
            answer = self.api.request("PATCH", self.lease_path, patch, content_type="application/merge-patch+json")
            assert answer.status == 200, answer.body

    def state(self) -> dict[str, Any]:
        """All that stands, in a form in which two components of different names are alike."""
        sets = {one["metadata"]["name"]: _comparable(one) for one in self.sets()}
        lease = self.lease()
        held = None if lease is None else bool(lease["spec"].get("holderIdentity"))
        return self.anonymous({"objects": self.live(), "sets": sets, "lease held": held})

    def anonymous(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """A state without what is of this very component's name."""
        text = json.dumps(state, sort_keys=True)
        text = _SHORT.sub("<generation>", _DIGEST.sub("<digest>", text)).replace(self.namespace, "<namespace>")
        found: dict[str, Any] = json.loads(text)
        return found


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    return item["kind"], item["metadata"]["name"]


def _comparable(one: Object) -> Any:
    metadata = one["metadata"]
    annotations = {k: v for k, v in (metadata.get("annotations") or {}).items() if not _RUN_MARK.fullmatch(k)}
    return _without(
        {
            "labels": metadata.get("labels"),
            "annotations": annotations,
            "spec": one["spec"],
            "status": one.get("status"),
        }
    )


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(each) for key, each in value.items() if key not in _OF_ONE_LIFE}
    if isinstance(value, list):
        return [_without(each) for each in value]
    return value
