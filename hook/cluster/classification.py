"""Which cause an answer has. The only place that reads status codes, reasons and messages of the API server.

The messages are those of kube-apiserver 1.34 to 1.37; a text of a webhook or a user can stand in most of them, so that
each pattern is tied to the start of the message or to words that no value can bring in earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hook.cluster.answers import Answer, Cause
from hook.manifests.identity import Identity

_WEBHOOK_DENIED = re.compile(r'admission webhook "[^"]*" denied the request')
_POLICY_DENIED = re.compile(r"^(?:\S+ \"[^\"]*\" is (?:forbidden|invalid): (?:: )?)?ValidatingAdmissionPolicy '[^']*'")
_WEBHOOK_FAILED = re.compile(r'^Internal error occurred: failed calling webhook "[^"]*"')
_CONVERSION_FAILED = re.compile(r"^(?:Internal error occurred: |unable to \w+ .*: )?conversion webhook for ")
_TYPED_PATCH = re.compile(r"^failed to (?:create typed patch object|convert new object)")
_UNSERVED_FIELDS = re.compile(
    r"failed to convert (?:pruned|merged) object|failed to prune fields|request to convert CR (?:from|to) an invalid"
)
_AUTHORIZER = re.compile(r'(?:User|user) "[^"]*" cannot [\w*-]+ ')
_ESCALATION = re.compile(r'user "[^"]*" \(groups=.*\) is attempting to grant RBAC permissions', re.DOTALL)
_QUOTA = re.compile(r"(?:exceeded quota: |failed quota: |status unknown for quota: |insufficient quota)")
_TOO_LARGE = re.compile(r"code = ResourceExhausted|etcdserver: request is too large|message larger than max")
_PORT_TAKEN = re.compile(r"^(?:Internal error occurred: failed to allocate|duplicate nodePort)")
_UID = re.compile(r"uid mismatch|UID in (?:the )?precondition", re.IGNORECASE)
_CRD_TERMINATING = "create not allowed while custom resource definition is terminating"
_INITIALIZING = "storage is (re)initializing"


def classify(answer: Answer, obj: Identity, plural: str, *, creates: bool = False) -> Cause | None:
    """The cause why the answer is no success, or None for 2xx (whose body is the caller's to check).

    `obj` is what the request was about and `plural` its resource: a 404 that names something else is no absence.
    Nor is any 404 where the request would have created the object (`creates`).
    """
    if answer.untrusted:
        return Cause.UNTRUSTED
    if answer.ok:
        return None
    if answer.status == 0:
        return Cause.UNAVAILABLE
    cause = classify_status(answer.status, answer.json() or {}, obj, plural)
    if creates and cause in (Cause.NOT_FOUND, Cause.OTHER) and obj.kind in ("RoleBinding", "ClusterRoleBinding"):
        # The Status is worded as if it were about the binding, and names the Role: by chance even alike.
        return Cause.MISSING_ROLE
    return cause


def classify_status(code: int, status: Mapping[str, Any], obj: Identity, plural: str) -> Cause:
    """As `classify`, for a Status that came with the code, or inside of a watch (`status.code`)."""
    if status.get("kind") != "Status":
        status = {}
    message = str(status.get("message") or "")
    if _WEBHOOK_DENIED.search(message) or _POLICY_DENIED.search(message):
        return Cause.DENIED  # with any code that the webhook likes: 400, 404, 422, 500
    if _WEBHOOK_FAILED.search(message) or _CONVERSION_FAILED.search(message):
        return Cause.WEBHOOK_UNREACHABLE
    by_code = _BY_CODE.get(code)
    if by_code is not None:
        return by_code(status, message, obj, plural)
    return Cause.UNAVAILABLE if code >= 500 else Cause.OTHER


def _details(status: Mapping[str, Any]) -> Mapping[str, Any]:
    details = status.get("details")
    return details if isinstance(details, Mapping) else {}


def _causes(status: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    causes = _details(status).get("causes")
    return [cause for cause in causes if isinstance(cause, Mapping)] if isinstance(causes, list) else []


def _names(status: Mapping[str, Any], obj: Identity, plural: str) -> bool:
    """Whether the Status is about the object itself (its details hold a resource, at times a kind)."""
    details = _details(status)
    return details.get("name") == obj.name and details.get("kind") in (plural, obj.kind, None, "")


def _bad_request(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    return Cause.TYPED_PATCH if _TYPED_PATCH.search(message) else Cause.BAD_REQUEST


def _forbidden(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    if any(cause.get("reason") == "NamespaceTerminating" for cause in _causes(status)):
        return Cause.NAMESPACE_TERMINATING
    if message.endswith(_CRD_TERMINATING):
        return Cause.CRD_TERMINATING
    if _ESCALATION.search(message) or _AUTHORIZER.search(message):
        return Cause.FORBIDDEN
    if _QUOTA.search(message):
        return Cause.QUOTA
    # Without a Status somebody before the API server said no.
    return Cause.DENIED if status else Cause.FORBIDDEN


def _not_found(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    details = _details(status)
    named = details.get("name")
    if not named:
        return Cause.PATH_NOT_FOUND
    if _names(status, obj, plural):
        return Cause.NOT_FOUND
    if details.get("kind") == "namespaces":
        return Cause.NAMESPACE_MISSING
    return Cause.OTHER


def _conflict(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    if any(cause.get("reason") == "FieldManagerConflict" for cause in _causes(status)):
        return Cause.FIELD_CONFLICT
    if _UID.search(message):
        return Cause.UID_MISMATCH
    if status.get("reason") == "AlreadyExists":
        return Cause.ALREADY_EXISTS
    named = _details(status).get("name")
    if named and named != obj.name:
        return Cause.BUSY  # a quota or an allocator of the server itself was written by two at once
    return Cause.STALE


def _invalid(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    causes = _causes(status)
    if causes and all(cause.get("field") == "metadata.uid" for cause in causes):
        return Cause.UID_MISMATCH
    return Cause.INVALID


def _throttled(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    return Cause.INITIALIZING if _INITIALIZING in message else Cause.THROTTLED


def _server_error(status: Mapping[str, Any], message: str, obj: Identity, plural: str) -> Cause:
    if _TYPED_PATCH.search(message):
        return Cause.TYPED_PATCH
    if _UNSERVED_FIELDS.search(message):
        return Cause.UNSERVED_FIELDS
    if _TOO_LARGE.search(message):
        return Cause.TOO_LARGE
    if _PORT_TAKEN.search(message):
        return Cause.INVALID
    return Cause.SERVER_ERROR


_BY_CODE = {
    400: _bad_request,
    401: lambda *_: Cause.UNAUTHORIZED,
    403: _forbidden,
    404: _not_found,
    405: lambda *_: Cause.UNSUPPORTED,
    406: lambda *_: Cause.UNSUPPORTED,
    409: _conflict,
    410: lambda *_: Cause.EXPIRED,
    413: lambda *_: Cause.TOO_LARGE,
    415: lambda *_: Cause.UNSUPPORTED,
    422: _invalid,
    429: _throttled,
    500: _server_error,
}
