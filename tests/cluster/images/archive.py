"""Writes the archive of a container image of one layer, as the OCI image layout describes it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_TYPE = "application/vnd.oci.image"


def write_image(
    path: Path,
    name: str,
    programs: Mapping[str, Path],
    *,
    entrypoint: Sequence[str],
    environment: Mapping[str, str] | None = None,
    user: str = "65532:65532",
) -> Path:
    """Writes an image `FROM scratch` with `programs` (path inside to file here), to be found as `name`.

    The same contents make the same bytes.
    """
    layer = _tar({inside.lstrip("/"): file.read_bytes() for inside, file in programs.items()}, mode=0o755)
    settings: dict[str, Any] = {
        "Entrypoint": list(entrypoint),
        "Env": [f"{key}={value}" for key, value in (environment or {}).items()],
        "User": user,
    }
    blobs: dict[str, bytes] = {}
    configuration = {
        "architecture": _architecture(),
        "os": "linux",
        "config": settings,
        "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{_TYPE}.manifest.v1+json",
        "config": _blob(blobs, f"{_TYPE}.config.v1+json", json.dumps(configuration).encode()),
        "layers": [_blob(blobs, f"{_TYPE}.layer.v1.tar", layer)],
    }
    described = _blob(blobs, f"{_TYPE}.manifest.v1+json", json.dumps(manifest).encode())
    # containerd reads the first, the other tools the second.
    described["annotations"] = {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name}
    files = {f"blobs/sha256/{digest}": blob for digest, blob in blobs.items()}
    files["oci-layout"] = json.dumps({"imageLayoutVersion": "1.0.0"}).encode()
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [described]}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(_tar(files, mode=0o644))
    return unfinished.replace(path)


def _blob(blobs: dict[str, bytes], media_type: str, data: bytes) -> dict[str, Any]:
    digest = _digest(data)
    blobs[digest.removeprefix("sha256:")] = data
    return {"mediaType": media_type, "digest": digest, "size": len(data)}


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _tar(files: Mapping[str, bytes], *, mode: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), mode
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _architecture() -> str:
    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
