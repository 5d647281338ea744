"""Pins the base image in the Dockerfile: asks its registry for the digest of the tag, and writes it behind the tag.

    python scripts/pin_base_image.py [Dockerfile]

The digest is that of the index of all platforms. Run it again to follow the tag; the change is one line to review.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

_LINE = re.compile(r"^ARG BASE=(?P<registry>[^/\s]+)/(?P<repository>[^:@\s]+):(?P<tag>[^@\s]+)(@\S+)?$", re.MULTILINE)
_HOSTS = {"docker.io": "registry-1.docker.io"}
_ACCEPT = "application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_TIMEOUT = 30  # seconds


def pinned(dockerfile: str, scheme: str = "https") -> str:
    """The Dockerfile's text with the digest of now. Raises ValueError where there is no such line, or no usable answer,
    and OSError where the registry cannot be asked."""
    found = _LINE.search(dockerfile)
    if found is None:
        raise ValueError("no line `ARG BASE=REGISTRY/REPOSITORY:TAG`")
    registry, repository, tag = found["registry"], found["repository"], found["tag"]
    digest = _digest(f"{scheme}://{_HOSTS.get(registry, registry)}/v2/{repository}/manifests/{tag}")
    line = f"ARG BASE={registry}/{repository}:{tag}@{digest}"
    return dockerfile[: found.start()] + line + dockerfile[found.end() :]


def _digest(url: str) -> str:
    request = urllib.request.Request(url, method="HEAD", headers={"Accept": _ACCEPT})  # noqa: S310
    try:
        answer = urllib.request.urlopen(request, timeout=_TIMEOUT)  # noqa: S310
    except urllib.error.HTTPError as error:
        if error.code != 401:
            raise
        request.add_header("Authorization", f"Bearer {_token(error.headers.get('WWW-Authenticate') or '')}")
        answer = urllib.request.urlopen(request, timeout=_TIMEOUT)  # noqa: S310
    with answer:
        digest = answer.headers.get("Docker-Content-Digest") or ""
    if not _DIGEST.fullmatch(digest):
        raise ValueError(f"{url}: the registry names no digest ({digest!r})")
    return digest


def _token(challenge: str) -> str:
    """A token for reading without a login, as the registry's challenge says where to get it."""
    asked = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    if "realm" not in asked:
        raise ValueError(f"the registry asks for a login of a kind that is not known: {challenge!r}")
    query = urllib.parse.urlencode({key: asked[key] for key in ("service", "scope") if key in asked})
    with urllib.request.urlopen(f"{asked['realm']}?{query}", timeout=_TIMEOUT) as answer:  # noqa: S310
        found: str = json.load(answer)["token"]
    return found


def main() -> int:
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "Dockerfile")
    try:
        path.write_text(pinned(path.read_text()))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{path}: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
