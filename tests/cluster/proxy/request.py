"""A request as the proxy sees it: what it asks of which resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

_WRITES = ("POST", "PUT", "PATCH", "DELETE")
# A POST that changes nothing: a question about rights.
_QUESTIONS = ("selfsubjectaccessreviews", "selfsubjectrulesreviews", "subjectaccessreviews")


@dataclass(frozen=True)
class Request:
    """`target` is path and query as sent; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def path(self) -> str:
        """The path, decoded."""
        return unquote(urlsplit(self.target).path)

    @cached_property
    def query(self) -> dict[str, str]:
        """The query; of a key that is given twice the last value counts."""
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))

    @cached_property
    def json(self) -> Any:
        """The body, decoded; None where there is none, or it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def plural(self) -> str:
        """The resource type, such as `deployments`; empty for discovery and the like."""
        return self._place[0]

    @property
    def name(self) -> str:
        """The object's name: in the path, or in the body of a POST; empty where many are meant."""
        if self._place[1] or self.method != "POST":
            return self._place[1]
        metadata = self.json.get("metadata") if isinstance(self.json, dict) else None
        return str((metadata or {}).get("name", ""))

    @property
    def subresource(self) -> str:
        """Such as `status`; empty for the object itself."""
        return self._place[2]

    @property
    def is_watch(self) -> bool:
        """Whether the answer is a stream that does not end by itself."""
        return self.method == "GET" and self.query.get("watch") in ("true", "1")

    @property
    def is_dry_run(self) -> bool:
        """Whether the server only tells what it would do."""
        return "dryRun" in self.query

    @property
    def is_write(self) -> bool:
        """Whether it is to change something in the cluster: no dry run, no question about rights."""
        return self.method in _WRITES and not self.is_dry_run and self.plural not in _QUESTIONS

    @property
    def is_apply(self) -> bool:
        """Whether it is a server-side apply, dry or not."""
        return self.method == "PATCH" and self.headers.get("content-type", "").startswith("application/apply-patch")

    @cached_property
    def _place(self) -> tuple[str, str, str]:
        parts = self.path.strip("/").split("/")
        rest = parts[2:] if parts[0] == "api" else parts[3:] if parts[0] == "apis" else []
        if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
            rest = rest[2:]
        plural, name, subresource = (*rest, "", "", "")[:3]
        return plural, name, subresource

    def __str__(self) -> str:
        return f"{self.method} {self.target}"
