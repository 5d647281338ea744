"""Validating and mutating webhook configurations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hook.readiness.backends import backend
from hook.readiness.fields import mapping, mappings, text
from hook.readiness.related import Related
from hook.readiness.state import Readiness, current, in_progress, joined
from hook.readiness.subject import Subject


def webhook_configuration(subject: Subject) -> Readiness:
    """Each Service that is called has a ready endpoint, and a CA bundle where there are rules.

    A webhook without rules matches nothing (Knative's fill rules and bundle in when their pods run), so it
    needs no bundle yet. A `url` without a bundle is checked against the system's roots.
    """
    warnings: list[str | None] = []
    webhooks = mappings(subject.obj, "webhooks")
    for webhook in webhooks:
        waiting_for, warning = _callable(webhook, subject.related)
        if waiting_for:
            name = text(webhook, "name") or "without a name"
            return in_progress(f"webhook {name} cannot be called yet", waiting_for)
        warnings.append(warning)
    return current(f"all {len(webhooks)} webhooks can be called", joined(*warnings))


def _callable(webhook: Mapping[str, Any], related: Related) -> tuple[str | None, str | None]:
    """(what is waited for, warning)"""
    client = mapping(webhook, "clientConfig", "webhooks[]")
    service = mapping(client, "service", "webhooks[].clientConfig")
    if not service:
        return (None, None) if text(client, "url") else ("a clientConfig with a service or a url", None)
    found = backend(service, related)
    if found.waiting_for is None and mappings(webhook, "rules", "webhooks[]") and not text(client, "caBundle"):
        return "a CA bundle: something must still inject one", found.warning
    return found.waiting_for, found.warning
