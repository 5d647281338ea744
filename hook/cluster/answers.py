"""What the API server answered, and the error that a refusal becomes.

ApiError            1  everything below; also what a caller is meant to handle (gone, stale, ...)
├── ApiUnreachable  1  no usable answer; also an `Unreachable`
├── ApiRefused      3  understood and refused; also a `Refused`
└── ApiDenied       5  rights or credentials; also a `RightsMissing`
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from hook.errors import HandoffError, Refused, RightsMissing, Unreachable
from hook.manifests.identity import Identity, Object


class Cause(StrEnum):
    """Why a request was not served: by what the server says, never by the status code alone."""

    NOT_FOUND = "not found"
    PATH_NOT_FOUND = "API not served"
    MISSING_ROLE = "the Role that a binding names is missing"
    NAMESPACE_MISSING = "namespace missing"
    ALREADY_EXISTS = "exists already"
    STALE = "changed meanwhile"
    FIELD_CONFLICT = "fields of another manager"
    UID_MISMATCH = "another object, or none, under that uid"
    INVALID = "invalid"
    TYPED_PATCH = "does not fit the schema"
    UNSERVED_FIELDS = "managed fields of a version that is not served"
    TOO_LARGE = "too large"
    FORBIDDEN = "rights missing"
    DENIED = "refused by admission"
    QUOTA = "quota exceeded"
    NAMESPACE_TERMINATING = "namespace is being deleted"
    CRD_TERMINATING = "its CustomResourceDefinition is being deleted"
    UNAUTHORIZED = "credentials refused"
    THROTTLED = "too many requests"
    INITIALIZING = "storage is initializing"
    BUSY = "the server collided with itself"
    WEBHOOK_UNREACHABLE = "webhook does not answer"
    EXPIRED = "resource version too old"
    UNAVAILABLE = "unavailable"
    SERVER_ERROR = "internal error of the server"
    UNTRUSTED = "certificate not trusted"
    BAD_REQUEST = "request not understood"
    UNSUPPORTED = "not supported by this API"
    OTHER = "unknown answer"


# The same request may be served a moment later, without anybody doing anything about it.
_REPEATED = frozenset({Cause.THROTTLED, Cause.INITIALIZING, Cause.BUSY, Cause.UNAVAILABLE, Cause.SERVER_ERROR})
# ... or when a webhook, a namespace or a Role of the same run has come (or gone).
_AWAITED = frozenset({Cause.WEBHOOK_UNREACHABLE, Cause.NAMESPACE_TERMINATING, Cause.MISSING_ROLE, Cause.EXPIRED})


def repeated(cause: Cause) -> bool:
    """True if the retry policy itself sends the request again."""
    return cause in _REPEATED


def transient(cause: Cause) -> bool:
    """True if a later try can succeed; wider than `repeated`: some things only the caller can wait for."""
    return cause in _REPEATED or cause in _AWAITED


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `status` 0 and a `failure` text where there was none.

    `sent` tells whether the server may have acted although no answer came.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    failure: str = ""
    sent: bool = True
    untrusted: bool = False

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> Object | None:
        """The JSON object in the body, None where it holds none (cut off, HTML of a proxy, a list)."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    def header(self, name: str) -> str | None:
        """A header's value, however the name is spelt."""
        wanted = name.lower()
        return next((value for key, value in self.headers.items() if key.lower() == wanted), None)

    @property
    def retry_after(self) -> float | None:
        """Seconds of the Retry-After header (a date there is ignored: API servers send seconds)."""
        text = self.header("Retry-After")
        if text is None or not text.strip().isdigit():
            return None
        return float(text)


@dataclass(frozen=True, slots=True)
class FieldCause:
    """One finding of a Status: the field's path, the reason (`FieldValueInvalid`), and a text without values."""

    field: str
    reason: str
    message: str


class ApiError(HandoffError):
    """A request that was not served.

    `object` is what the request was about (name "" for a collection), `verb` what was asked (get, list, apply,
    patch, create, update, delete, watch, review), `retries` how often it was sent again, `lost` whether an earlier
    try may have acted although its answer was lost.
    """

    def __init__(
        self,
        cause: Cause,
        verb: str,
        obj: Identity,
        text: str,
        *,
        status: int = 0,
        field_causes: tuple[FieldCause, ...] = (),
        retry_after: float | None = None,
        retries: int = 0,
        lost: bool = False,
    ) -> None:
        place = str(obj) if obj.name else f"{obj.of_kind}{f' in {obj.namespace}' if obj.namespace else ''}"
        advice = _ADVICE.get(cause)
        super().__init__(f"{verb} {place}: {cause}: {text}" + (f" ({advice})" if advice else ""))
        self.cause = cause
        self.verb = verb
        self.object = obj
        self.text = text
        self.status = status
        self.field_causes = field_causes
        self.retry_after = retry_after
        self.retries = retries
        self.lost = lost


class ApiUnreachable(ApiError, Unreachable):
    """No answer, or none that says anything about the object."""


class ApiRefused(ApiError, Refused):
    """The API server understood, and says no."""


class ApiDenied(ApiError, RightsMissing):
    """The authorizer or the authenticator says no."""


_CLASSES: dict[Cause, type[ApiError]] = {
    **dict.fromkeys(
        (
            Cause.PATH_NOT_FOUND,
            Cause.MISSING_ROLE,
            Cause.NAMESPACE_MISSING,
            Cause.FIELD_CONFLICT,
            Cause.INVALID,
            Cause.TYPED_PATCH,
            Cause.UNSERVED_FIELDS,
            Cause.TOO_LARGE,
            Cause.DENIED,
            Cause.QUOTA,
            Cause.BAD_REQUEST,
            Cause.UNSUPPORTED,
        ),
        ApiRefused,
    ),
    **dict.fromkeys((Cause.FORBIDDEN, Cause.UNAUTHORIZED), ApiDenied),
    **dict.fromkeys(
        (
            Cause.THROTTLED,
            Cause.INITIALIZING,
            Cause.BUSY,
            Cause.UNAVAILABLE,
            Cause.SERVER_ERROR,
            Cause.UNTRUSTED,
            Cause.WEBHOOK_UNREACHABLE,
        ),
        ApiUnreachable,
    ),
}

_ADVICE: dict[Cause, str] = {
    Cause.PATH_NOT_FOUND: "is its CustomResourceDefinition or APIService installed?",
    Cause.NAMESPACE_MISSING: "create it, or add it to the manifests",
    Cause.MISSING_ROLE: "add the Role to the manifests",
    Cause.FORBIDDEN: "`handoff rbac` prints the rights that are needed",
    Cause.UNAUTHORIZED: "the credentials were read again and refused again",
    Cause.WEBHOOK_UNREACHABLE: "is its workload running, and its Service right?",
    Cause.NAMESPACE_TERMINATING: "run again when it is gone",
    Cause.CRD_TERMINATING: "run again when it is gone",
    Cause.UNTRUSTED: "check certificate-authority in the kubeconfig",
}


def api_error(cause: Cause, verb: str, obj: Identity, text: str, **more: Any) -> ApiError:
    """The error of that cause, as the class that carries its exit code."""
    return _CLASSES.get(cause, ApiError)(cause, verb, obj, text, **more)
