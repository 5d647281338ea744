"""Texts of a Status that people may read: what was wrong, without the values that were sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from hook.cluster.answers import FieldCause

_LONGEST = 600
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
# k8s.io/apimachinery field errors: `Invalid value: <JSON or Go syntax>: what is wrong`.
_VALUE = re.compile(r"\b(Invalid|Duplicate) value: ")
_ADMISSION = re.compile(
    r"(?:^|: )(?:admission webhook|ValidatingAdmissionPolicy) .* denied (?:the )?request: ", re.DOTALL
)
_STRUCT = re.compile(r"&value\.\w+\{.*?\}", re.DOTALL)


def field_causes(status: Mapping[str, Any]) -> tuple[FieldCause, ...]:
    """`details.causes` of a Status, in the server's order, without values."""
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, Mapping) else None
    return tuple(
        FieldCause(
            str(cause.get("field") or ""),
            str(cause.get("reason") or ""),
            without_values(str(cause.get("message") or "")),
        )
        for cause in (causes if isinstance(causes, list) else ())
        if isinstance(cause, Mapping)
    )


def status_text(status: Mapping[str, Any], *, secret: bool) -> str:
    """One line for people.

    A refused field is named by its path; its value is left out, because a whole Pod template is quoted there as soon
    as one of its fields is immutable. For a Secret (`secret`) everything that is quoted is left out.
    """
    message = str(status.get("message") or "")
    causes = [cause for cause in field_causes(status) if cause.field]
    if status.get("reason") == "Invalid" and causes:
        message = "; ".join(f"{cause.field}: {cause.message}" for cause in causes)
    text = without_values(message)
    if secret and (denied := _ADMISSION.search(text)):
        text = text[: denied.end()] + "(not shown for a Secret)"
    elif secret:
        # Struct literals end at the first brace, at least; what follows names types and nothing else.
        text = _QUOTED.sub('"..."', re.sub(r"\{.*\}", "{...}", text, flags=re.DOTALL))
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def without_values(message: str) -> str:
    """The message with each refused value replaced by `...`; numbers, true and false stay."""
    found = _VALUE.search(message)
    if found is None:
        return _STRUCT.sub("...", message)
    rest = message[found.end() :]
    shown, tail = _cut_value(rest)
    return message[: found.end()] + shown + without_values(tail)


def _cut_value(rest: str) -> tuple[str, str]:
    """Splits `<value>: what is wrong` into the value as it may be shown, and what follows it."""
    try:
        value, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        # Go syntax (older servers): nested colons and quotes, so only the last part is surely no value.
        head, colon, tail = rest.rpartition(": ")
        return "...", f": {tail}" if colon and head else ""
    if isinstance(value, int | float):  # true and false are ints as well
        return rest[:end], rest[end:]
    return "...", rest[end:]
