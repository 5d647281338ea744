"""Manifests of the scenarios, as small as they can be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.live_objects import Object


def config_map(namespace: str, name: str, data: Mapping[str, str] | None = None, **metadata: Any) -> Object:
    """`metadata` is what else stands there: `labels=`, `annotations=`, `finalizers=`."""
    return _object("v1", "ConfigMap", namespace, name, metadata, data=dict(data or {"key": "value"}))


def namespace_of(name: str, **metadata: Any) -> Object:
    return _object("v1", "Namespace", "", name, metadata)


def service(namespace: str, name: str, port: int = 80, **metadata: Any) -> Object:
    spec = {"selector": {"app": name}, "ports": [{"name": "http", "port": port, "targetPort": 8080}]}
    return _object("v1", "Service", namespace, name, metadata, spec=spec)


def role(namespace: str, name: str, *resources: str) -> Object:
    rules = [{"apiGroups": [""], "resources": [resource], "verbs": ["get"]} for resource in resources or ("pods",)]
    return _object("rbac.authorization.k8s.io/v1", "Role", namespace, name, {}, rules=rules)


def deployment(
    namespace: str, name: str, image: str = "v1", *, pods: Mapping[str, str] | None = None, **spec: Any
) -> Object:
    """`pods` are annotations of its pods; `spec` is laid over the Deployment's own, such as `replicas=3`."""
    return _object("apps/v1", "Deployment", namespace, name, {}, spec={**_pods(name, image, pods), **spec})


def stateful_set(namespace: str, name: str, image: str = "v1", **spec: Any) -> Object:
    own = {"serviceName": name, "replicas": 1, **_pods(name, image, None)}
    return _object("apps/v1", "StatefulSet", namespace, name, {}, spec={**own, **spec})


def job(namespace: str, name: str, image: str = "v1") -> Object:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": f"example.test/{name}:{image}"}]}
    return _object("batch/v1", "Job", namespace, name, {}, spec={"template": {"spec": pod}})


def definition(group: str, kind: str, *versions: str, scope: str = "Namespaced", **metadata: Any) -> Object:
    """A CustomResourceDefinition of any content; the first version is the stored one. A version may be written
    `v1!` for one that is not served."""
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    spec = {
        "group": group,
        "scope": scope,
        "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
        "versions": [
            {"name": name.rstrip("!"), "served": not name.endswith("!"), "storage": not number, "schema": schema}
            for number, name in enumerate(versions or ("v1",))
        ],
    }
    name = f"{plural}.{group}"
    return _object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", name, metadata, spec=spec)


def custom(group: str, kind: str, namespace: str, name: str, version: str = "v1", **metadata: Any) -> Object:
    return _object(f"{group}/{version}", kind, namespace, name, metadata, spec={"size": 1})


def _object(api_version: str, kind: str, namespace: str, name: str, metadata: Mapping[str, Any], **rest: Any) -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place, **metadata}, **rest}


def _pods(name: str, image: str, annotations: Mapping[str, str] | None) -> Object:
    pod = {
        "metadata": {"labels": {"app": name}, "annotations": dict(annotations or {})},
        "spec": {"containers": [{"name": "main", "image": f"example.test/{name}:{image}"}]},
    }
    return {"selector": {"matchLabels": {"app": name}}, "template": pod}
