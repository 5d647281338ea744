"""A few plain requests to an API server, for the test kit itself and for tests: no client library, no retries."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3

from tests.cluster.kubeconfigs import read_kubeconfig


@dataclass(frozen=True, slots=True)
class Answer:
    """Status code and decoded JSON body (an empty or unreadable body is an empty mapping)."""

    status: int
    body: dict[str, Any]


class Api:
    """One identity at one API server, with `connections` kept-alive connections."""

    def __init__(self, kubeconfig: Path, *, connections: int = 4, user_agent: str = "handoff-tests") -> None:
        context = read_kubeconfig(kubeconfig)
        self.server: str = context["cluster"]["server"].rstrip("/")
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        token = context["user"].get("token")
        self.authorization: str | None = f"Bearer {token}" if token else None
        if self.authorization:
            self._headers["Authorization"] = self.authorization
        self.tls: ssl.SSLContext = _tls(context, kubeconfig.parent)
        self._pool = urllib3.PoolManager(maxsize=connections, block=True, retries=False, ssl_context=self.tls)

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        accept: str | None = None,
        timeout: float = 15.0,
    ) -> Answer:
        """Sends one request; `path` begins with `/api` or `/apis`. Raises urllib3's errors when nothing answers."""
        response = self.raw(method, path, body, query=query, content_type=content_type, accept=accept, timeout=timeout)
        try:
            decoded = json.loads(response.data)
        except ValueError:
            decoded = {}
        return Answer(response.status, decoded if isinstance(decoded, dict) else {})

    def raw(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, str] | None = None,
        content_type: str = "application/json",
        accept: str | None = None,
        timeout: float = 15.0,
        stream: bool = False,
    ) -> urllib3.BaseHTTPResponse:
        """As `request`, with the response itself; with `stream`, its body is left to be read."""
        headers = dict(self._headers)
        if accept:
            headers["Accept"] = accept
        data = None
        if body is not None:
            headers["Content-Type"] = content_type
            data = json.dumps(body).encode()
        url = self.server + path + (f"?{urlencode(query)}" if query else "")
        return self._pool.request(
            method,
            url,
            body=data,
            headers=headers,
            timeout=urllib3.Timeout(connect=5.0, read=timeout),
            preload_content=not stream,
        )

    def close(self) -> None:
        """Ends the connections."""
        self._pool.clear()


def _tls(context: dict[str, Any], base: Path) -> ssl.SSLContext:
    cluster, user = context["cluster"], context["user"]
    authority = _material(cluster, "certificate-authority", base)
    tls = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
    certificate, key = _material(user, "client-certificate", base), _material(user, "client-key", base)
    if certificate and key:
        # The ssl module reads client certificates from files only.
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            tls.load_cert_chain(file.name)
    return tls


def _material(source: dict[str, Any], name: str, base: Path) -> bytes | None:
    if f"{name}-data" in source:
        return base64.b64decode(source[f"{name}-data"])
    if name in source:
        return (base / str(source[name])).read_bytes()
    return None
