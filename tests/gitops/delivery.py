"""A component's directory in Git, on top of the shipped manifests, as their README tells people to write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from tests.cluster.gitops.repositories import Repository
from tests.cluster.locations import REPOSITORY

# What the tools are told to build.
PATH = "component"

Object = Mapping[str, Any]


@dataclass(slots=True)
class Delivery:
    """One component, delivered to one namespace by one tool's base (`argocd` or `flux`).

    `release` is the file of its manifests, below PATH; `resources` and `components` are further directories of
    `manifests/`, `settings` the environment of the Job; `prefix` begins the names of what the bases hold.
    """

    repository: Repository
    base: str
    namespace: str
    component: str
    image: str
    resources: Sequence[str] = ()
    components: Sequence[str] = ()
    prefix: str = ""
    release: str = "release.yaml"
    settings: dict[str, str] = field(default_factory=dict)
    patches: list[Object] = field(default_factory=list)
    # Further ConfigMaps, as Kustomize generates them.
    generated: list[Object] = field(default_factory=list)

    def push(self, version: str, objects: Sequence[Object], **settings: str) -> str:
        """Commits a version; the commit's id."""
        return self.repository.commit(
            {
                **dict(_shipped()),
                f"{PATH}/{self.release}": yaml.safe_dump_all(objects),
                f"{PATH}/kustomization.yaml": yaml.safe_dump(self._kustomization(version, settings), sort_keys=False),
            },
            version,
        )

    def revert(self) -> str:
        """Reverts the last commit in Git; the new commit's id."""
        return self.repository.revert()

    def _kustomization(self, version: str, settings: Mapping[str, str]) -> Object:
        environment = {
            "HANDOFF_COMPONENT": self.component,
            "HANDOFF_VERSION": version,
            **self.settings,
            **settings,
        }
        container = {
            "name": "handoff",
            "env": [{"name": key, "value": value} for key, value in environment.items()],
        }
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "handoff"},
            "spec": {"template": {"spec": {"containers": [container]}}},
        }
        name, _, tag = self.image.partition(":")
        given = {"name": "handoff-input", "behavior": "replace", "files": [self.release]}
        return {
            "namespace": self.namespace,
            "namePrefix": self.prefix,
            "resources": [f"../manifests/{place}" for place in (self.base, *self.resources)],
            "components": [f"../manifests/{place}" for place in self.components],
            "images": [{"name": "handoff", "newName": name, "newTag": tag}],
            "configMapGenerator": [given, *self.generated],
            "patches": [{"target": {"kind": "Job"}, "patch": yaml.safe_dump(job)}, *self.patches],
        }


def _shipped() -> Iterator[tuple[str, str]]:
    for path in (REPOSITORY / "manifests").rglob("*"):
        if path.is_file() and path.suffix in (".yaml", ".lua"):
            yield str(path.relative_to(REPOSITORY)), path.read_text()
