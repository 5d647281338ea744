"""A component of all three parts, small enough to be installed and killed many times in a shared cluster.

Version 2 changes something inside everything that both versions have, drops one object and brings another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.live_objects import Object

PARTS = ("deployment", "static", "statefulset")


def manifests(version: int, pods: Mapping[str, str] | None = None) -> list[Object]:
    """Its objects, without namespaces. `pods` are annotations of the Deployment's pods."""
    rules = [_rule("pods"), _rule("events" if version == 1 else "leases")]
    settings = {"greeting": "hello", ("old" if version == 1 else "new"): "yes"}
    ports = [{"name": "http", "port": 80, "targetPort": 8080}]
    if version == 1:
        ports.append({"name": "legacy", "port": 81, "targetPort": 8081})
    return [
        _object("v1", "ServiceAccount", "app"),
        _object("rbac.authorization.k8s.io/v1", "Role", "app", rules=rules),
        _object(
            "rbac.authorization.k8s.io/v1",
            "RoleBinding",
            "app",
            roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "app"},
            subjects=[{"kind": "ServiceAccount", "name": "app", "namespace": "default"}],
        ),
        _object("v1", "ConfigMap", "settings", data=settings),
        _object("v1", "ConfigMap", f"only-in-{version}", data={"version": str(version)}),
        _object("v1", "Secret", "password", stringData={"password": f"secret-{version}"}),
        _object("v1", "Service", "app", spec={"selector": {"app": "app"}, "ports": ports}),
        _object("apps/v1", "Deployment", "app", spec={"replicas": 2, **_pods("app", version, pods)}),
        _object(
            "apps/v1", "StatefulSet", "store", spec={"serviceName": "app", "replicas": 1, **_pods("store", version)}
        ),
    ]


def write(directory: Path, version: int, objects: list[Object] | None = None) -> Path:
    """A manifest file below `directory`."""
    path = directory / f"v{version}.json"
    items = manifests(version) if objects is None else objects
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


def _rule(resource: str) -> Object:
    return {"apiGroups": [""], "resources": [resource], "verbs": ["get", "list"]}


def _object(api_version: str, kind: str, name: str, **rest: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest}


def _pods(name: str, version: int, annotations: Mapping[str, str] | None = None) -> Object:
    pod = {
        "metadata": {"labels": {"app": name}, "annotations": dict(annotations or {})},
        "spec": {"containers": [{"name": "main", "image": f"example.test/{name}:{version}"}]},
    }
    return {"selector": {"matchLabels": {"app": name}}, "template": pod}
