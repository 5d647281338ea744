"""Who is put down as the owner of what a set lists."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from tests.tekton.definitions import API_VERSION, GROUP, SET

Object = dict[str, Any]
_WEBHOOK_CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def controller_reference(owner: Mapping[str, Any], kind: str) -> Object:
    """The reference to an owner of the operator's group that controls the object and holds up its own deletion."""
    return {
        "apiVersion": API_VERSION,
        "kind": kind,
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def controller_of(obj: Mapping[str, Any], kind: str) -> str | None:
    """The name of the object of the operator's group and of `kind` that controls this one."""
    for reference in obj["metadata"].get("ownerReferences") or []:
        if reference.get("controller"):
            ours = reference["kind"] == kind and reference["apiVersion"].split("/")[0] == GROUP
            return str(reference["name"]) if ours else None
    return None


def owned(owner: Mapping[str, Any]) -> list[Object]:
    """Copies of a set's manifests with the owners that the operator gives them.

    operator: transformer.go:injectOwner, injectOwnerForCRDsAndNamespace. Whatever owners a manifest names are replaced
    by the set. Definitions and Namespaces get the set's own owners instead, webhook configurations nothing: these keep
    what the manifest says, the former where the set has no owners.
    """
    reference = controller_reference(owner, SET)
    of_the_set = owner["metadata"].get("ownerReferences")
    manifests: list[Object] = copy.deepcopy(owner["spec"].get("manifests") or [])
    for manifest in manifests:
        if manifest["kind"] in ("CustomResourceDefinition", "Namespace"):
            if of_the_set:
                manifest["metadata"]["ownerReferences"] = copy.deepcopy(of_the_set)
        elif manifest["kind"] not in _WEBHOOK_CONFIGURATIONS:
            manifest["metadata"]["ownerReferences"] = [dict(reference)]
    return manifests
