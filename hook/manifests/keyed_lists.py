"""Lists whose entries the API server tells apart by key fields, not by position.

Server-side apply refuses two entries with one key, with a late 500, and takes an entry without a key field for one that
has the default there. Source: `x-kubernetes-list-map-keys` in the OpenAPI documents of Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hook.manifests.identity import Kind, Object, split_api_version
from hook.manifests.pod_specs import containers, pod_spec


@dataclass(frozen=True, slots=True)
class KeyedList:
    """`entries` is the list itself, not a copy; `defaults` are of key fields that may be absent."""

    path: str
    entries: list[Any]
    keys: tuple[str, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)

    def key_of(self, entry: Any) -> tuple[Any, ...] | None:
        """What tells this entry from the others; None for one whose key fields are not complete and simple."""
        if not isinstance(entry, dict):
            return None
        key = tuple(entry.get(name, self.defaults.get(name)) for name in self.keys)
        return key if all(isinstance(part, (str, int)) for part in key) else None


_PROTOCOL = {"protocol": "TCP"}
_CONTAINER: Mapping[str, tuple[str, ...]] = {
    "ports": ("containerPort", "protocol"),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
}
_POD: Mapping[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "resourceClaims": ("name",),
    "schedulingGates": ("name",),
}
_ADMISSION = "admissionregistration.k8s.io"
_KINDS: Mapping[Kind, Mapping[str, tuple[str, ...]]] = {
    Kind("", "Service"): {"spec.ports": ("port", "protocol")},
    Kind("", "ServiceAccount"): {"secrets": ("name",)},
    Kind(_ADMISSION, "MutatingWebhookConfiguration"): {"webhooks": ("name",)},
    Kind(_ADMISSION, "ValidatingWebhookConfiguration"): {"webhooks": ("name",)},
    Kind(_ADMISSION, "ValidatingAdmissionPolicy"): {"spec.matchConditions": ("name",), "spec.variables": ("name",)},
    Kind(_ADMISSION, "MutatingAdmissionPolicy"): {"spec.matchConditions": ("name",), "spec.variables": ("name",)},
}


def keyed_lists(obj: Object) -> Iterator[KeyedList]:
    """All such lists in an object of a kind of Kubernetes."""
    group, _ = split_api_version(obj["apiVersion"])
    yield from _lists("", obj, _KINDS.get(Kind(group, obj["kind"]), {}))
    for index, webhook in enumerate(_list(obj.get("webhooks")) if group == _ADMISSION else []):
        yield from _lists(f"webhooks[{index}].", webhook, {"matchConditions": ("name",)})
    found = pod_spec(obj)
    if found is None:
        return
    path, spec = found
    yield from _lists(f"{path}.", spec, _POD)
    for place, container in containers(path, spec):
        yield from _lists(f"{place}.", container, _CONTAINER)
        yield from _lists(f"{place}.", container, {"resources.claims": ("name",)})


def _lists(prefix: str, where: Any, table: Mapping[str, tuple[str, ...]]) -> Iterator[KeyedList]:
    for path, keys in table.items():
        found = where
        for step in path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, list):
            yield KeyedList(prefix + path, found, keys, _PROTOCOL if "protocol" in keys else {})


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
