"""Artifacts of Flux's source-controller: what a source object's status points to, fetched and checked.

Source: the API reference of source.toolkit.fluxcd.io, `Artifact`.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError

from hook.cluster.answers import ApiError, Cause
from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.errors import InvalidInput, Refused, Unreachable
from hook.manifests.identity import Kind, Object

MAX_SIZE = 128 * 1024 * 1024  # bytes, packed
_TRIES = 5
_PAUSE = 1.0  # seconds; doubled from try to try
_CONNECT, _READ = 5.0, 15.0  # seconds
_WHOLE = 60.0  # seconds for one download
_CHUNK = 1 << 16
_ALGORITHMS = ("sha256", "sha384", "sha512")


@dataclass(frozen=True, slots=True)
class Artifact:
    """`digest` is `sha256:HEX`; `revision` is for people, e.g. `main@sha1:5f1c...`."""

    url: str
    digest: str
    revision: str


def fetch_artifact(objects: Objects, kind: Kind, namespace: str, name: str) -> tuple[Artifact, bytes]:
    """The artifact that a source object names now, and its bytes, which are what the digest says.

    Only the newest one is kept by source-controller: when it is gone, the object is read again. Raises InvalidInput (no
    such object), Unreachable (no artifact yet, or not to be had), Refused (a digest that does not fit) and ApiError.
    """
    shown = f"{kind.kind} {namespace}/{name}"
    connection = objects.connection
    failure = ""
    for attempt in range(_TRIES):
        if attempt:
            connection.pause(_PAUSE * 2 ** (attempt - 1))
        artifact = _artifact(_source(objects, kind, namespace, name), shown)
        try:
            data = b"".join(_download(objects, artifact.url, shown))
        except (HTTPError, OSError, _Failure) as error:
            failure = str(error)
            continue
        _check(artifact, data, shown)
        return artifact, data
    raise Unreachable(f"{shown}: its artifact {artifact.url} could not be fetched: {failure}; run again")


class _Failure(Exception):
    pass


def _source(objects: Objects, kind: Kind, namespace: str, name: str) -> Object:
    found = Discovery.read(objects.connection).find(kind)
    if found is None:
        raise InvalidInput(f"{kind} is not served by this cluster: is Flux's source-controller installed?")
    try:
        return objects.get(found, namespace, name)
    except ApiError as error:
        if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
            raise InvalidInput(f"{kind.kind} {namespace}/{name}: does not exist; it is the input") from None
        raise


def _artifact(source: Object, shown: str) -> Artifact:
    artifact: Any = (source.get("status") or {}).get("artifact")
    if not isinstance(artifact, dict):
        conditions = (source.get("status") or {}).get("conditions") or ()
        why = next((str(c.get("message")) for c in conditions if c.get("type") == "Ready"), "it was not looked at yet")
        raise Unreachable(f"{shown}: has no artifact yet: {why}")
    url, digest = str(artifact.get("url") or ""), str(artifact.get("digest") or "")
    if not url.startswith(("http://", "https://")):
        raise Refused(f"{shown}: status.artifact.url {url!r} is no http or https URL")
    if not re.fullmatch(rf"({'|'.join(_ALGORITHMS)}):[0-9a-f]+", digest):
        raise Refused(
            f"{shown}: status.artifact.digest {digest!r} is none of {', '.join(_ALGORITHMS)}, which can be checked; "
            "give source-controller one of these as --artifact-digest-algo (sha256 unless it is set)"
        )
    return Artifact(url, digest, str(artifact.get("revision") or ""))


def _download(objects: Objects, url: str, shown: str) -> Iterator[bytes]:
    """In chunks. It goes to a host that somebody's object names: without our credentials, and past no redirect."""
    until = time.monotonic() + _WHOLE
    size = 0
    with urllib3.PoolManager() as pool:
        response = pool.request(
            "GET",
            url,
            headers={"User-Agent": "handoff"},
            preload_content=False,
            redirect=False,
            retries=False,
            timeout=urllib3.Timeout(connect=_CONNECT, read=_READ),
        )
        try:
            if response.status != 200:
                raise _Failure(f"HTTP {response.status}")
            # As it is: a Content-Encoding of the server's own is none that the digest is over.
            for chunk in response.stream(_CHUNK, decode_content=False):
                objects.connection.check_stop()
                size += len(chunk)
                if size > MAX_SIZE:
                    raise Refused(f"{shown}: its artifact is larger than {MAX_SIZE >> 20} MiB")
                if time.monotonic() > until:
                    raise _Failure(f"it took longer than {_WHOLE:.0f} s")
                yield chunk
        finally:
            response.close()


def _check(artifact: Artifact, data: bytes, shown: str) -> None:
    algorithm, _, wanted = artifact.digest.partition(":")
    found = hashlib.new(algorithm, data).hexdigest()
    if not hmac.compare_digest(found, wanted):
        raise Refused(
            f"{shown}: its artifact has the digest {algorithm}:{found}, and its status says {artifact.digest}: "
            "somebody has changed it on the way, or in the store of source-controller"
        )
