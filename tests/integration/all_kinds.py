"""A component with some objects of each kind that releases have: what is in it is taken from several of them."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.corpus import corpus, objects_of
from tests.live_objects import Object

COMPONENT = "all-kinds"
NAMESPACE = "default"  # of its sets
TARGET_NAMESPACE = "argocd"  # argo-cd's manifests name none

RELEASES = (("tekton-pipeline", "v1.2.0"), ("argo-cd", "v3.4.0"), ("ingress-nginx", "v1.12.1"))
_OF_EACH_KIND = 3
# A megabyte each, and their schemas add nothing.
_DEFINITIONS = 1


def manifests() -> list[Object]:
    """The objects; skips the test where the releases are not at hand."""
    return [obj for name, version in RELEASES for obj in _sample(objects_of(corpus(name, version)))]


def command(directory: Path, *options: str) -> list[str]:
    """The arguments of `handoff run`; the manifests are written below `directory`."""
    path = directory / "all-kinds.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests()}))
    places = ("--namespace", NAMESPACE, "--target-namespace", TARGET_NAMESPACE)
    return ["run", "--source", str(path), "--component", COMPONENT, *places, *options]


def prepare(cluster: Cluster) -> None:
    """Makes the namespace that the component takes for granted."""
    cluster.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": TARGET_NAMESPACE}}])


def _sample(release: list[Object]) -> list[Object]:
    kinds: dict[str, list[Object]] = defaultdict(list)
    for obj in release:
        kinds[obj["kind"]].append(obj)
    kinds["CustomResourceDefinition"] = sorted(kinds["CustomResourceDefinition"], key=lambda obj: len(str(obj)))
    chosen = []
    for kind, objects in kinds.items():
        wanted = _DEFINITIONS if kind == "CustomResourceDefinition" else _OF_EACH_KIND
        for number, obj in enumerate(objects):
            name = obj["metadata"]["name"]
            # Pods run as these; webhooks are called through those.
            needed = kind == "ServiceAccount" or (kind in ("Service", "Deployment") and "webhook" in name)
            # Its Jobs have no pods that would fill in the CA that this one waits for.
            hopeless = kind == "ValidatingWebhookConfiguration" and name.startswith("ingress-nginx")
            if (number < wanted or needed) and not hopeless:
                chosen.append(obj)
    return chosen
