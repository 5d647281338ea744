"""The script that pins the base image, against a registry that asks for a token first, as public ones do."""

from __future__ import annotations

import http.server
import importlib.util
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
DIGEST = "sha256:" + "0a" * 32


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pin_base_image", ROOT / "scripts" / "pin_base_image.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Registry(http.server.BaseHTTPRequestHandler):
    digest = DIGEST

    def do_HEAD(self) -> None:
        host = self.headers["Host"]
        if self.headers.get("Authorization") != "Bearer t-1":
            self.send_response(401)
            self.send_header("WWW-Authenticate", f'Bearer realm="http://{host}/token",service="s",scope="pull"')
        else:
            self.send_response(200 if self.path == "/v2/library/python/manifests/3.13-slim" else 404)
            self.send_header("Docker-Content-Digest", self.digest)
        self.end_headers()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"token": "t-1"}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("before", ["", "@sha256:old"])
def test_the_digest_of_the_tag_is_written_behind_it(registry: str, before: str) -> None:
    text = f"# base\nARG BASE={registry}/library/python:3.13-slim{before}\nFROM ${{BASE}}\n"
    found = script().pinned(text, "http")
    assert found == f"# base\nARG BASE={registry}/library/python:3.13-slim@{DIGEST}\nFROM ${{BASE}}\n"


def test_an_answer_without_a_digest_changes_nothing(registry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Registry, "digest", "latest")
    with pytest.raises(ValueError, match="no digest"):
        script().pinned(f"ARG BASE={registry}/library/python:3.13-slim\n", "http")


def test_the_dockerfile_has_the_line_that_it_pins() -> None:
    assert script()._LINE.search((ROOT / "Dockerfile").read_text())
