"""What stands in a cluster: objects by where they are, and without what no manifest can say."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from tests.cluster.api import Api
from tests.cluster.probe import Target, targets_of

Object = dict[str, Any]

# The server's own, different in any two clusters, and at any two times.
_OF_THE_SERVER = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")
_COUNTED_BY_CONTROLLERS = ("deployment.kubernetes.io/revision",)
# Addresses that a Service is given when it is created.
_GIVEN_TO_SERVICES = ("clusterIP", "clusterIPs", "healthCheckNodePort")


def read(api: Api, objects: Iterable[Mapping[str, Any]], *, namespace: str = "default") -> dict[Target, Object]:
    """The live objects of manifests; what does not exist is left out. `namespace` is for those that name none."""
    found = {}
    for target in targets_of(api, objects, namespace=namespace):
        answer = api.request("GET", target.path)
        assert answer.status in (200, 404), answer.body
        if answer.status == 200:
            found[target] = answer.body
    return found


def meant(live: Mapping[str, Any]) -> Object:
    """A live object without its status and what the server makes up: what somebody meant it to be."""
    kept = copy.deepcopy({key: value for key, value in live.items() if key != "status"})
    for key in _OF_THE_SERVER:
        kept["metadata"].pop(key, None)
    for key in _COUNTED_BY_CONTROLLERS:
        (kept["metadata"].get("annotations") or {}).pop(key, None)
    if kept["kind"] == "Service":
        for key in _GIVEN_TO_SERVICES:
            kept["spec"].pop(key, None)
        for port in kept["spec"].get("ports") or []:
            port.pop("nodePort", None)
    return kept


def meant_all(live: Mapping[Target, Object]) -> dict[str, Object]:
    """`meant` of each, by a name that reads well in a failure."""
    return {str(target): meant(obj) for target, obj in live.items()}


def sets_of(api: Api, namespace: str, component: str) -> list[Object]:
    """The component's InstallerSets, by name; none where the kind is not served."""
    path = f"/apis/installersets.io/v1alpha1/namespaces/{namespace}/installersets"
    items = api.request("GET", path).body.get("items") or []
    return sorted(
        (one for one in items if one["spec"]["component"] == component), key=lambda one: str(one["metadata"]["name"])
    )
