"""A request and its answer: repeated as the policy allows; if it fails, an error that names object and cause."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hook.cluster.answers import Answer, ApiError, Cause, api_error
from hook.cluster.classification import classify
from hook.cluster.connection import REQUEST_TIMEOUT, Connection
from hook.cluster.retry import Outcome
from hook.cluster.status_texts import field_causes, status_text
from hook.manifests.identity import Identity, Object

# `299 - "text"`, several of them separated by commas (RFC 7234, as the API server writes it).
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')

_CREATING = frozenset({"apply", "dry-run", "create"})


@dataclass(frozen=True, slots=True)
class Served:
    """A 2xx answer and the JSON object in its body ({} where it holds none and the caller did not ask)."""

    answer: Answer
    value: Object


def ask(
    connection: Connection,
    verb: str,
    obj: Identity,
    plural: str,
    method: str,
    path: str,
    *,
    query: Mapping[str, str] | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    timeout: float = REQUEST_TIMEOUT,
    usable: Callable[[Object], bool] | None = None,
    urgent: bool = False,
    once: bool = False,
    patience: float | None = None,
) -> Served:
    """The answer to a request that was served; raises ApiError for any other.

    `verb` is counted. `usable` says whether a 2xx body is what was asked for: one that is not (cut off, HTML of a
    proxy) is as good as no answer. `once`: not repeated here, the caller does that. `patience`: repeated for no longer
    than so many seconds.
    """

    value: Object = {}

    def attempt() -> Answer:
        connection.count_request(verb)
        return connection.request(method, path, query=query, body=body, headers=headers, timeout=timeout, urgent=urgent)

    def judge(answer: Answer) -> Cause | None:
        nonlocal value
        cause = classify(answer, obj, plural, creates=verb in _CREATING)
        if cause is not None:
            return cause
        body = answer.json()
        if usable is not None and (body is None or not usable(body)):
            return Cause.UNAVAILABLE
        value = body or {}
        return None

    if once:
        answer = attempt()
        outcome = Outcome(answer, judge(answer), 0, lost=False)
    else:
        limits = [limit for limit in (patience, connection.time_left()) if limit is not None]
        outcome = connection.retry.run(
            attempt, judge, pause=connection.pause, count=connection.count_retry, at_most=min(limits, default=None)
        )
    if outcome.cause is not None:
        raise _error(outcome.cause, verb, obj, outcome)
    for warning in _WARNING.findall(outcome.answer.header("Warning") or ""):
        connection.warn(f"{obj}: {warning}")
    return Served(outcome.answer, value)


def _error(cause: Cause, verb: str, obj: Identity, outcome: Outcome) -> ApiError:
    answer = outcome.answer
    status = answer.json() or {}
    if status.get("kind") != "Status":
        status = {}
    text = status_text(status, secret=obj.kind == "Secret" and obj.group == "")
    if answer.ok:
        text = "the answer is not what was asked for"
    elif not text:
        text = answer.failure or f"HTTP {answer.status} {_plain(answer)}".strip()
    if outcome.retries:
        text += f" [tried {outcome.retries + 1} times]"
    return api_error(
        cause,
        verb,
        obj,
        text,
        status=answer.status,
        field_causes=field_causes(status),
        retry_after=answer.retry_after,
        retries=outcome.retries,
        lost=outcome.lost,
    )


def _plain(answer: Answer) -> str:
    """The first line of a text that is meant to be read as it is."""
    if not (answer.header("Content-Type") or "").startswith("text/plain"):
        return ""
    return answer.body[:200].decode(errors="replace").strip().partition("\n")[0]
