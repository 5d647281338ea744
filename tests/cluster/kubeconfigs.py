"""Kubeconfig files, written whole (credentials inside) and read back."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.certificates import KeyPair


def write_kubeconfig(
    path: Path,
    server: str,
    authority: bytes,
    *,
    client: KeyPair | None = None,
    token: str | None = None,
    namespace: str = "default",
) -> Path:
    """Writes a kubeconfig with one context, named `test`, for a client certificate or a bearer token."""
    user: dict[str, str] = {}
    if client is not None:
        user["client-certificate-data"] = _encoded(client.certificate.read_bytes())
        user["client-key-data"] = _encoded(client.key.read_bytes())
    if token is not None:
        user["token"] = token
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "test",
                "cluster": {"server": server, "certificate-authority-data": _encoded(authority)},
            }
        ],
        "users": [{"name": "test", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": namespace}}],
        "current-context": "test",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    # Other processes wait for this file: it appears whole, or not at all. JSON is YAML.
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.touch(mode=0o600)
    unfinished.write_text(json.dumps(document, indent=1))
    unfinished.replace(path)
    return path


def read_kubeconfig(path: Path) -> dict[str, Any]:
    """The current context of a kubeconfig: {"cluster": {...}, "user": {...}, "namespace": str}.

    Raises KeyError when it names no current context, or one that is not there.
    """
    document = yaml.safe_load(path.read_text())
    context = _named(document["contexts"], document["current-context"])["context"]
    return {
        "cluster": _named(document["clusters"], context["cluster"])["cluster"],
        "user": _named(document["users"], context["user"])["user"],
        "namespace": context.get("namespace", "default"),
    }


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    for entry in entries:
        if entry["name"] == name:
            return entry
    raise KeyError(name)


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()
