"""Which Services an object makes the API server call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hook.manifests.identity import Kind, Object, split_api_version

_WEBHOOKS = frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})


def called_services(obj: Object) -> tuple[tuple[str, str], ...]:
    """(namespace, name) of each Service that a webhook configuration, a CRD's conversion or an APIService calls.

    Each once, in order; none for other kinds, and none for a webhook that is called by URL.
    """
    found = dict.fromkeys(
        (service["namespace"], service["name"])
        for service in _services(obj)
        if isinstance(service.get("namespace"), str) and isinstance(service.get("name"), str)
    )
    return tuple(found)


def _services(obj: Object) -> Iterator[dict[str, Any]]:
    group, _ = split_api_version(obj["apiVersion"])
    spec = _mapping(obj.get("spec"))
    match Kind(group, obj["kind"]):
        case Kind("admissionregistration.k8s.io", kind) if kind in _WEBHOOKS:
            webhooks = obj.get("webhooks")
            for webhook in webhooks if isinstance(webhooks, list) else []:
                yield _mapping(_mapping(_mapping(webhook).get("clientConfig")).get("service"))
        case Kind("apiextensions.k8s.io", "CustomResourceDefinition"):
            conversion = _mapping(_mapping(spec.get("conversion")).get("webhook"))
            yield _mapping(_mapping(conversion.get("clientConfig")).get("service"))
        case Kind("apiregistration.k8s.io", "APIService"):
            yield _mapping(spec.get("service"))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
