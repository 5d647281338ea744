"""What extends the API itself: CustomResourceDefinitions and APIServices."""

from __future__ import annotations

from hook.readiness.backends import Backend, backend
from hook.readiness.fields import flag, mapping, mappings, text
from hook.readiness.state import Readiness, current, failed, in_progress, joined
from hook.readiness.subject import Subject


def definition(subject: Subject) -> Readiness:
    """A CRD is Established, discovery lists what it serves, and its conversion webhook can be called.

    Refused names are terminal, unless it is Established already: then what it served goes on being served.
    """
    conditions = subject.conditions
    names = conditions.find("NamesAccepted")
    established = conditions.is_true("Established")
    if names is not None and names.status == "False":
        why = f"its names are refused: {names.message or names.reason}"
        if established:
            return in_progress(why, "condition NamesAccepted", "it goes on serving its former names")
        return failed(why)
    if not established:
        found = conditions.find("Established")
        return in_progress(str(found) if found else "it is not reported on yet", "condition Established")

    warnings: list[str | None] = []
    group = text(subject.spec, "group", "spec")
    kind = text(mapping(subject.spec, "names", "spec"), "kind", "spec.names")
    versions = [
        text(version, "name")
        for version in mappings(subject.spec, "versions", "spec")
        if flag(version, "served", "spec.versions[]")
    ]
    listed = [subject.related.served(group, version, kind) for version in versions] or [None]
    if False in listed:
        version = versions[listed.index(False)]
        return in_progress("discovery does not list it yet", f"{group}/{version} {kind} in discovery")
    if None in listed:
        warnings.append("discovery could not be looked at, and is taken to list what it serves")

    called = _conversion_backend(subject)
    if called.waiting_for:
        return in_progress("its conversion webhook cannot be called yet", called.waiting_for)
    warnings.append(called.warning)
    return current("it is established", joined(*warnings))


def api_service(subject: Subject) -> Readiness:
    """An APIService is ready when the aggregator says Available."""
    available = subject.conditions.find("Available")
    if available is None:
        return in_progress("the aggregator has not looked at it yet", "condition Available")
    if available.status != "True":
        return in_progress(str(available), "condition Available")
    return current(available.message or "it is available")


def _conversion_backend(subject: Subject) -> Backend:
    """Whether the webhook that converts between versions can be called; so it can where there is none."""
    conversion = mapping(subject.spec, "conversion", "spec")
    if text(conversion, "strategy") != "Webhook":
        return Backend()
    webhook = mapping(conversion, "webhook", "spec.conversion")
    client = mapping(webhook, "clientConfig", "spec.conversion.webhook")
    service = mapping(client, "service", "spec.conversion.webhook.clientConfig")
    return backend(service, subject.related) if service else Backend()
