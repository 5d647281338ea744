"""Live objects as the API server would show them: managedFields entries made from what was applied."""

from __future__ import annotations

import copy
import json
from typing import Any

from hook.manifests.identity import Object

OURS = "handoff:ops:web"
NOW = "2030-01-01T00:00:00Z"

# Lists that the API server merges by these keys, and those that are sets; all other lists are atomic here.
MERGED = {
    "containers": ("name",),
    "initContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "ports": ("containerPort", "protocol"),
    "webhooks": ("name",),
}
SETS = frozenset({"finalizers"})
ATOMIC_MAPS = frozenset({"selector", "podSelector", "matchLabels"})
NOT_OWNED = frozenset({"apiVersion", "kind"})


def fields_of(value: Any, *, kind: str = "", top: bool = True) -> dict[str, Any]:
    """fieldsV1 of an Apply entry for exactly this object."""
    fields: dict[str, Any] = {}
    for name, child in value.items():
        if top and name in NOT_OWNED:
            continue
        if top and name == "metadata":
            child = {key: one for key, one in child.items() if key in ("labels", "annotations", "finalizers")}
        if isinstance(child, dict) and child and name not in ATOMIC_MAPS:
            fields[f"f:{name}"] = fields_of(child, kind=kind or str(value.get("kind")), top=False)
        elif isinstance(child, list) and name in SETS:
            fields[f"f:{name}"] = {f"v:{json.dumps(one)}": {} for one in child}
        elif isinstance(child, list) and name in MERGED:
            if child:
                fields[f"f:{name}"] = {_key(name, one, kind or str(value.get("kind"))): _item(one) for one in child}
        else:
            fields[f"f:{name}"] = {}
    return fields


def _key(name: str, item: dict[str, Any], kind: str) -> str:
    keys = ("port", "protocol") if name == "ports" and kind == "Service" else MERGED[name]
    return "k:" + json.dumps({key: item.get(key, "TCP") for key in keys}, separators=(",", ":"))


def _item(item: dict[str, Any]) -> dict[str, Any]:
    return {".": {}, **fields_of(item, top=False)}


def entry(fields: dict[str, Any], manager: str = OURS, operation: str = "Apply", **more: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": operation,
        "apiVersion": "v1",
        "time": NOW,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **more,
    }


def applied(obj: Object, manager: str = OURS, *more: dict[str, Any]) -> Object:
    """The object as it lives after `manager` has applied it; `more` are further managedFields entries."""
    live = copy.deepcopy(obj)
    own = entry(fields_of(obj), manager, apiVersion=obj["apiVersion"])
    live["metadata"].update(uid="u-1", resourceVersion="1", managedFields=[own, *more])
    return live


def config_map(data: dict[str, str] | None = None, **more: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "conf", "namespace": "shop"},
        **({} if data is None else {"data": data}),
        **more,
    }


def service(*ports: dict[str, Any], **spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front", "namespace": "shop"},
        "spec": {"ports": [{"protocol": "TCP", **port} for port in ports], **spec},
    }


def deployment(image: str = "shop:1", **spec: Any) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "front", "namespace": "shop", "labels": {"app.kubernetes.io/name": "front"}},
        "spec": {
            "selector": {"matchLabels": {"app": "front"}},
            "template": {
                "metadata": {"labels": {"app": "front"}},
                "spec": {
                    "containers": [
                        {
                            "name": "shop",
                            "image": image,
                            "env": [{"name": "LEVEL", "value": "info"}],
                            "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                        }
                    ],
                    "volumes": [{"name": "tmp", "emptyDir": {}}],
                },
            },
            **spec,
        },
    }


def role(*rules: dict[str, Any], kind: str = "ClusterRole", **more: Any) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "shop"},
        "rules": list(rules),
        **more,
    }


def rule(verbs: str, resources: str, groups: str = "", **more: Any) -> dict[str, Any]:
    return {
        "apiGroups": groups.split(",") if groups else [""],
        "resources": resources.split(","),
        "verbs": verbs.split(","),
        **more,
    }
