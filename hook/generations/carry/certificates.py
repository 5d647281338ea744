"""CA bundles: while old endpoints serve, the API server must trust the old certificates as well as the new ones."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields, descend, item_node
from hook.manifests.identity import Object

_CERTIFICATE = re.compile(rb"-----BEGIN ([A-Z ]*CERTIFICATE)-----(.*?)-----END \1-----", re.DOTALL)

# (what it is, its config in the manifest, its config in the live object, what we own of the latter)
_Call = tuple[str, dict[str, Any], dict[str, Any], Fields | None]


def carry_certificates(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Certificates of a live bundle that the new one lacks go before the new ones.

    A live bundle that we own and the manifest drops stays as it is.
    """
    kept = []
    for what, wanted, present, ours in _calls(body, live, owned):
        if not _bundle_changes(wanted, present):
            continue
        if "caBundle" not in wanted:
            if "f:caBundle" in (ours or {}):
                wanted["caBundle"] = present["caBundle"]
                kept.append(Kept(f"CA bundle of {what}", present["caBundle"]))
            continue
        old, new = _certificates(present["caBundle"]), _certificates(wanted["caBundle"])
        if not old or not new:
            continue
        lost = [text for key, text in old.items() if key not in new]
        if lost:
            wanted["caBundle"] = _joined(lost, new.values())
            digests = [hashlib.sha256(text).hexdigest() for text in lost]
            kept.append(Kept(f"CA bundle of {what}: {len(lost)} old certificate(s)", digests))
    return kept


def trusted_ahead(desired: Object, live: Object) -> dict[tuple[str | int, ...], str]:
    """Path in the live object → bundle that trusts the new certificates beside those that it trusts now.

    New pods may answer with a new certificate long before the object itself is applied.
    """
    ahead = {}
    for path, wanted, present in _places(desired, live):
        if "caBundle" not in wanted or not _bundle_changes(wanted, present):
            continue
        old, new = _certificates(present["caBundle"]), _certificates(wanted["caBundle"])
        coming = [text for key, text in new.items() if key not in old]
        if old and coming:
            ahead[(*path, "caBundle")] = _joined(old.values(), coming)
    return ahead


def lost_certificates(desired: Object, live: Object, owned: Fields) -> list[str]:
    lines = []
    for what, wanted, present, _ in _calls(desired, live, owned):
        if "caBundle" not in wanted or not _bundle_changes(wanted, present):
            continue
        if not _certificates(present["caBundle"]) or not _certificates(wanted["caBundle"]):
            lines.append(f"CA bundle of {what} changes and is no PEM: old and new cannot be joined")
    return lines


def _bundle_changes(wanted: dict[str, Any], present: dict[str, Any]) -> bool:
    """Whether the same endpoint is called with another bundle than before."""
    if not present.get("caBundle") or wanted.get("insecureSkipTLSVerify"):
        return False
    return _endpoint(wanted) == _endpoint(present) and wanted.get("caBundle") != present["caBundle"]


def _endpoint(config: dict[str, Any]) -> tuple[Any, ...]:
    service = config.get("service") or {}
    return config.get("url"), service.get("namespace"), service.get("name")


def _places(desired: Object, live: Object) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any], dict[str, Any]]]:
    """Path in the live object, the config in the manifest, the config in the live object."""
    if desired["kind"] == "APIService":
        yield ("spec",), _at(desired, "spec"), _at(live, "spec")
        return
    wanted = {webhook.get("name"): webhook for webhook in desired.get("webhooks") or ()}
    for index, webhook in enumerate(live.get("webhooks") or ()):
        if webhook.get("name") in wanted:
            path = ("webhooks", index, "clientConfig")
            yield path, _at(wanted[webhook["name"]], "clientConfig"), _at(webhook, "clientConfig")


def _joined(first: Iterable[bytes], then: Iterable[bytes]) -> str:
    return base64.b64encode(b"\n".join([*first, *then, b""])).decode()


def _calls(body: Object, live: Object, owned: Fields) -> Iterator[_Call]:
    kind = body["kind"]
    if kind == "APIService":
        yield "the service", body.get("spec") or {}, live.get("spec") or {}, descend(owned, "spec")
    elif kind == "CustomResourceDefinition":
        path = ("spec", "conversion", "webhook", "clientConfig")
        yield "the conversion webhook", _at(body, *path), _at(live, *path), descend(owned, *path)
    else:
        present = {webhook.get("name"): webhook for webhook in live.get("webhooks") or ()}
        for webhook in body.get("webhooks") or ():
            old = present.get(webhook.get("name"))
            if old is not None:
                ours = descend(item_node(descend(owned, "webhooks"), old), "clientConfig")
                yield f"webhook {webhook['name']}", _at(webhook, "clientConfig"), _at(old, "clientConfig"), ours


def _at(obj: Object, *path: str) -> dict[str, Any]:
    value: Any = obj
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _certificates(bundle: str) -> dict[bytes, bytes]:
    """Certificates of a base64 PEM bundle in their order: content without white space → text."""
    try:
        text = base64.b64decode(bundle)
    except (ValueError, binascii.Error):
        return {}
    return {b"".join(found[2].split()): found[0] for found in _CERTIFICATE.finditer(text)}
