"""What becomes of a live object when a new manifest is merged into it.

operator: manifestival's Apply: a client-side three-way merge, strategic for the kinds that client-go knows, a plain
JSON merge for all others; when the server finds the result invalid, the manifest is laid over it position by position.
"""

from __future__ import annotations

import copy
from typing import Any

Object = dict[str, Any]

_KNOWN_GROUPS = frozenset(
    (
        *("", "apps", "autoscaling", "batch", "policy"),
        *(
            f"{group}.k8s.io"
            for group in (
                *("admissionregistration", "certificates", "coordination", "discovery", "events"),
                *("networking", "node", "rbac.authorization", "scheduling", "storage"),
            )
        ),
    )
)
# Lists whose entries are merged by a key. All others are replaced whole, an RBAC rule and a webhook's rules among them.
_KEYS = {
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "matchConditions": "name",
    "ownerReferences": "uid",
    "secrets": "name",
    "volumeMounts": "mountPath",
    "volumes": "name",
    "webhooks": "name",
}
_SERVICE_KEYS = {**_KEYS, "ports": "port"}


def merged(original: Object, modified: Object, live: Object) -> Object:
    """`live` with what `modified` says, less what only `original` says, the manifest that was applied last (empty where
    none was noted, and then nothing is ever taken away)."""
    group = modified["apiVersion"].rpartition("/")[0]
    keys: dict[str, str] = {}
    if group in _KNOWN_GROUPS:
        keys = _SERVICE_KEYS if modified["kind"] == "Service" else _KEYS
    return _merged_map(original, modified, live, keys)


def laid_over(manifest: Any, live: Any) -> Any:
    """The manifest laid over the live value: maps by key, lists by position and cut to the manifest's length."""
    if isinstance(manifest, dict) and isinstance(live, dict):
        return {**live, **{key: laid_over(value, live.get(key)) for key, value in manifest.items()}}
    if isinstance(manifest, list) and isinstance(live, list) and len(live) >= len(manifest):
        return [laid_over(value, old) for value, old in zip(manifest, live, strict=False)]
    return copy.deepcopy(manifest)


def _merged_map(original: Any, modified: Object, live: Any, keys: dict[str, str]) -> Object:
    before, result = _map(original), copy.deepcopy(_map(live))
    for name in before.keys() - modified.keys():
        result.pop(name, None)
    for name, value in modified.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict):
            result[name] = _merged_map(before.get(name), value, result.get(name), keys)
        elif isinstance(value, list) and name in keys and isinstance(result.get(name), list):
            result[name] = _merged_list(before.get(name) or [], value, result[name], keys[name], keys)
        else:
            result[name] = copy.deepcopy(value)
    return result


def _merged_list(
    original: list[Object], modified: list[Object], live: list[Object], key: str, keys: dict[str, str]
) -> list[Object]:
    before, now = ({entry.get(key): entry for entry in entries} for entries in (original, live))
    wanted = {entry.get(key) for entry in modified}
    others = [entry for entry in live if entry.get(key) not in wanted and entry.get(key) not in before]
    return [*(_merged_map(before.get(e.get(key)), e, now.get(e.get(key)), keys) for e in modified), *others]


def _map(value: Any) -> Object:
    return value if isinstance(value, dict) else {}
