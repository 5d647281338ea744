"""Services that the API server itself calls: of webhooks and of conversions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hook.readiness.fields import text
from hook.readiness.related import MISSING, Related


@dataclass(frozen=True, slots=True)
class Backend:
    """`waiting_for` is None when it can be called; `warning` is set when that could not be looked at."""

    waiting_for: str | None = None
    warning: str | None = None


def backend(reference: Mapping[str, Any], related: Related) -> Backend:
    """Whether the Service of a clientConfig (`{namespace, name}`) has a ready endpoint."""
    namespace, name = text(reference, "namespace"), text(reference, "name")
    shown = f"Service {namespace}/{name}"
    service = related.service(namespace, name)
    if service is MISSING:
        return Backend(waiting_for=f"{shown}, which does not exist")
    endpoints = related.ready_endpoints(namespace, name)
    if endpoints is None:
        return Backend(warning=f"{shown} could not be looked at, and is taken to have a ready endpoint")
    if endpoints == 0:
        return Backend(waiting_for=f"a ready endpoint of {shown}")
    return Backend()
