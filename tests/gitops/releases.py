"""Versions of the small component, some with a fault or with peculiarities of their own."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Object = dict[str, Any]


def never_ready(objects: list[Object]) -> list[Object]:
    """Its pods never become Ready, and its Deployment says so after a few seconds."""
    changed = deepcopy(objects)
    deployment = _deployment(changed)
    deployment["spec"]["progressDeadlineSeconds"] = 5
    for entry in _container(deployment)["env"]:
        if entry["name"] == "BROKEN":
            entry["value"] = "yes"
    return changed


def slow(objects: list[Object], seconds: int) -> list[Object]:
    """Each of its two pods needs so many seconds to become Ready, one after the other."""
    changed = deepcopy(objects)
    _container(_deployment(changed))["readinessProbe"]["initialDelaySeconds"] = seconds
    return changed


def tracked_by_argo(objects: list[Object], application: str, namespace: str) -> list[Object]:
    """With the marks that an export from a cluster would carry: each says that the application owns it."""
    changed = deepcopy(objects)
    for item in changed:
        group = item["apiVersion"].rpartition("/")[0]
        name = f"{group}/{item['kind']}:{namespace}/{item['metadata']['name']}"
        annotations = {"argocd.argoproj.io/tracking-id": f"{application}:{name}"}
        item["metadata"].update(annotations=annotations, labels={"app.kubernetes.io/instance": application})
    return changed


def tracked_by_flux(objects: list[Object], kustomization: str, namespace: str) -> list[Object]:
    """The same for a Kustomization."""
    changed = deepcopy(objects)
    for item in changed:
        item["metadata"]["labels"] = {
            "kustomize.toolkit.fluxcd.io/name": kustomization,
            "kustomize.toolkit.fluxcd.io/namespace": namespace,
        }
    return changed


def with_shared(name: str, group: str, namespace: str) -> list[Object]:
    """What the component `name` shares with others, a Namespace and a definition, and what it has in there alone."""
    place = {"name": name, "namespace": namespace}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"gadgets.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
        },
        {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": place},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": place, "data": {"of": name}},
    ]


def rights_on(group: str) -> Object:
    """A patch of the shipped ClusterRole: the rights on the component's own custom resources."""
    rule = (
        f"- op: add\n  path: /rules/-\n  value: {{apiGroups: [{group}], resources: [gadgets], "
        "verbs: [get, list, watch, create, patch, delete]}"
    )
    return {"target": {"kind": "ClusterRole"}, "patch": rule}


def _deployment(objects: list[Object]) -> Object:
    return next(item for item in objects if item["kind"] == "Deployment")


def _container(deployment: Object) -> Object:
    container: Object = deployment["spec"]["template"]["spec"]["containers"][0]
    return container
