"""`handoff readiness`: what people ask about objects of a file, without a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from hook.manifests.document import Document
from hook.manifests.identity import Identity, split_api_version
from hook.manifests.reader import read_documents
from hook.readiness.assess import assess
from hook.readiness.causes import pod_cause
from hook.readiness.conditions import one_line
from hook.readiness.kinds import WORKLOADS
from hook.readiness.offline import FileRelated
from hook.readiness.rules import Rules, check_annotation
from hook.readiness.state import Readiness, State

READY = 0
NOT_READY = 10
FAILED = 4


def read_objects(data: bytes, file: str) -> list[Any]:
    """The objects of a file as `kubectl get -o yaml` (or json) prints it: Lists are unpacked, nothing is checked.

    Raises InvalidInput, with file and line, for what is no YAML or JSON, and for a `ready-when` annotation that does
    not compile.
    """
    objects = []
    for document in read_documents(data, file):
        for obj, where in _unpacked(document):
            if isinstance(obj, dict):
                check_annotation(obj, where)
            objects.append(obj)
    return objects


def readiness_command(objects: Sequence[Any], rules: Rules, output: str) -> tuple[str, int]:
    """The report on `objects` (`output`: text or json) and the exit code.

    0 is all Current, 4 one Failed or Blocked, 10 else. The objects are each other's related objects; what only a
    cluster could tell counts as met, with a warning.
    """
    related = FileRelated(objects)
    verdicts = [(_identity(obj), _with_cause(assess(obj, related, rules=rules), obj, related)) for obj in objects]
    shown = _json(verdicts) if output == "json" else _text(verdicts)
    return shown, _exit_code([verdict for _, verdict in verdicts])


def _with_cause(verdict: Readiness, obj: Any, related: FileRelated) -> Readiness:
    """A workload that is not ready is told with the first cause that its pods show, as far as they are in the file."""
    if verdict.state not in (State.IN_PROGRESS, State.FAILED) or _identity(obj).of_kind not in WORKLOADS:
        return verdict
    cause = pod_cause(related.pods_of(obj) or (), related.events)
    return verdict if cause is None else replace(verdict, reason=f"{verdict.reason}; {cause}")


def _exit_code(verdicts: Sequence[Readiness]) -> int:
    if any(verdict.final for verdict in verdicts):
        return FAILED
    return READY if all(verdict.ready for verdict in verdicts) else NOT_READY


def _json(verdicts: Sequence[tuple[Identity, Readiness]]) -> str:
    entries = [
        {
            "object": {
                "group": identity.group,
                "kind": identity.kind,
                "namespace": identity.namespace,
                "name": identity.name,
            },
            "state": verdict.state.value,
            "reason": verdict.reason,
            "waitingFor": verdict.waiting_for,
            "warning": verdict.warning,
        }
        for identity, verdict in verdicts
    ]
    return json.dumps(entries, indent=2)


def _text(verdicts: Sequence[tuple[Identity, Readiness]]) -> str:
    if not verdicts:
        return "no objects"
    width = max(len(state) for state in State)
    lines = []
    for identity, verdict in verdicts:
        shown = one_line(str(identity)) if identity.kind else "no object"
        lines.append(f"{verdict.state.value:<{width}}  {shown}: {verdict.reason}")
        if verdict.waiting_for:
            lines.append(f"{'':<{width}}  waiting for {verdict.waiting_for}")
        if verdict.warning:
            lines.append(f"{'':<{width}}  warning: {verdict.warning}")
    return "\n".join(lines)


def _unpacked(document: Document) -> Iterator[tuple[Any, str]]:
    """Each object of a document, and where it stands; what is no object is passed on, to be judged Unknown.

    Unlike the input of a run, a file of live objects is looked at, not checked: one odd item of a List must not
    hide what the others are.
    """
    listed = _items(document.value)
    if listed is None:
        yield document.value, str(document.origin)
    for index, item in enumerate(listed or ()):
        yield from _unpacked(Document(item, document.origin_of_item(index)))


def _items(value: Any) -> list[Any] | None:
    """The items of a List (`v1 List`, or a typed one, whose items may go without apiVersion and kind), else None."""
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not value["kind"].endswith("List"):
        return None
    items = value.get("items")
    metadata = value.get("metadata")
    if "items" not in value or (isinstance(metadata, dict) and metadata.get("name")):
        return None
    if items is None:
        return []
    kind = value["kind"].removesuffix("List")
    if not isinstance(items, list) or not kind:
        return items if isinstance(items, list) else None
    typed = {"apiVersion": value.get("apiVersion"), "kind": kind}
    return [{**typed, **item} if isinstance(item, dict) else item for item in items]


def _identity(obj: Any) -> Identity:
    """As much of an identity as the object has; "" for what is missing or no text."""
    if not isinstance(obj, dict):
        return Identity("", "", "", "")
    metadata = obj.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    group, _ = split_api_version(_text_or_nothing(obj.get("apiVersion")))
    return Identity(
        group,
        _text_or_nothing(obj.get("kind")),
        _text_or_nothing(metadata.get("namespace")),
        _text_or_nothing(metadata.get("name")),
    )


def _text_or_nothing(value: Any) -> str:
    return value if isinstance(value, str) else ""
