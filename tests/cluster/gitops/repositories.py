"""Git repositories that the tools deliver from, served as anywhere else: over HTTP, read-only."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "tests",
    "GIT_AUTHOR_EMAIL": "tests@example.org",
    "GIT_COMMITTER_NAME": "tests",
    "GIT_COMMITTER_EMAIL": "tests@example.org",
}


class Repository:
    """One repository with its branch `main`."""

    def __init__(self, directory: Path, url: str) -> None:
        self.directory, self.url = directory, url
        directory.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, files: Mapping[str, str], message: str) -> str:
        """Writes `files` (path to text) over what is there, and commits; the commit's id."""
        for name, text in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self._git("add", "--all")
        self._git("commit", "--quiet", f"--message={message}")
        return self.head

    def revert(self) -> str:
        """Commits the opposite of the last commit; the new commit's id."""
        self._git("revert", "--no-edit", "HEAD")
        return self.head

    @property
    def head(self) -> str:
        """The id of the last commit."""
        return self._git("rev-parse", "HEAD")

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.directory), *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, **_ENVIRONMENT},
        )
        if done.returncode != 0:
            raise RuntimeError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout.strip()


class Repositories:
    """All repositories of one server."""

    def __init__(self, directory: Path, url: str) -> None:
        self._directory = directory
        self._url = url

    def new(self, name: str) -> Repository:
        """An empty repository; nothing can be fetched from it before its first commit."""
        return Repository(self._directory / name, f"{self._url}/{name}/.git")


@contextmanager
def serve(directory: Path, address: str) -> Iterator[Repositories]:
    """Serves the repositories below `directory` at a free port of `address` until the block ends."""
    handler = type("Handler", (_Handler,), {"root": directory})
    with ThreadingHTTPServer((address, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield Repositories(directory, f"http://{address}:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Hands each request to Git's own CGI program."""

    root: Path

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        environment = {
            **os.environ,
            **_ENVIRONMENT,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": self.client_address[0],
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=environment)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines() if ": " in line)
        self.send_response(int(headers.pop("Status", "200").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: the tools say what they fetched."""
