"""Causes, for answers that are told apart by more than their code (the rest is tested on a real server)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.cluster.answers import Answer, Cause, repeated, transient
from hook.cluster.classification import classify, classify_status
from hook.manifests.identity import Identity
from tests.unit.cluster.scripted import status

OBJECT = Identity("", "ConfigMap", "shop", "a")


def cause(
    code: int, body: object, *, obj: Identity = OBJECT, plural: str = "configmaps", creates: bool = False
) -> object:
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return classify(Answer(code, {}, data), obj, plural, creates=creates)


def test_success_has_no_cause() -> None:
    assert cause(201, {}) is None


def test_no_answer_is_unavailable() -> None:
    assert classify(Answer(0, failure="refused"), OBJECT, "configmaps") is Cause.UNAVAILABLE


def test_an_unknown_certificate_is_not_tried_again() -> None:
    found = classify(Answer(0, untrusted=True), OBJECT, "configmaps")

    assert found is Cause.UNTRUSTED
    assert not repeated(found)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (status(404, "NotFound", name="a", kind="configmaps"), Cause.NOT_FOUND),
        (status(404, "NotFound", name="shop", kind="namespaces"), Cause.NAMESPACE_MISSING),
        (status(404, "NotFound"), Cause.PATH_NOT_FOUND),
        ("404 page not found\n", Cause.PATH_NOT_FOUND),
        ("<html>no such host</html>", Cause.PATH_NOT_FOUND),
        (status(404, "NotFound", name="b", kind="configmaps"), Cause.OTHER),
        ({"kind": "Other", "details": {"name": "a"}}, Cause.PATH_NOT_FOUND),
        ([], Cause.PATH_NOT_FOUND),
    ],
)
def test_only_a_status_that_names_the_object_says_that_it_is_gone(body: object, expected: Cause) -> None:
    assert cause(404, body) is expected


def test_a_binding_to_a_missing_role_of_the_same_name_is_no_missing_binding() -> None:
    binding = Identity("rbac.authorization.k8s.io", "RoleBinding", "shop", "r")
    body = status(404, "NotFound", name="r", kind="rolebindings")

    assert cause(404, body, obj=binding, plural="rolebindings", creates=True) is Cause.MISSING_ROLE
    assert cause(404, body, obj=binding, plural="rolebindings") is Cause.NOT_FOUND


@pytest.mark.parametrize("code", [400, 403, 404, 409, 422, 429, 500, 503])
def test_a_webhook_denies_with_any_code(code: int) -> None:
    body = status(code, "NotFound", 'admission webhook "w.example.org" denied the request: no', name="a")

    assert cause(code, body) is Cause.DENIED


def test_a_message_that_quotes_a_denial_of_rights_is_not_one() -> None:
    """A policy's text is the policy's: here it speaks as the authorizer does."""
    policy = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "
    message = f'configmaps "a" is forbidden: {policy}User "x" cannot get resource'

    assert cause(422, status(422, "Invalid", message)) is Cause.DENIED


def test_403_without_a_status_is_about_rights() -> None:
    assert cause(403, "forbidden by the proxy") is Cause.FORBIDDEN


def test_a_conflict_about_another_object_is_the_servers_own() -> None:
    body = status(409, "Conflict", "Operation cannot be fulfilled on resourcequotas", name="q", kind="resourcequotas")

    assert cause(409, body) is Cause.BUSY
    assert repeated(Cause.BUSY)


def test_other_fields_beside_the_uid_are_no_uid_mismatch() -> None:
    both = [{"field": "metadata.uid"}, {"field": "data"}]

    assert cause(422, status(422, "Invalid", causes=both[:1])) is Cause.UID_MISMATCH
    assert cause(422, status(422, "Invalid", causes=both)) is Cause.INVALID


def test_storage_that_initializes_is_told_from_throttling() -> None:
    assert cause(429, status(429, "TooManyRequests", "storage is (re)initializing")) is Cause.INITIALIZING
    assert cause(429, status(429, "TooManyRequests", "Too many requests")) is Cause.THROTTLED


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("failed to create typed patch object (a; /v1): .dat: field not declared in schema", Cause.TYPED_PATCH),
        ("failed to prune fields: failed add back owned items: failed to convert pruned object", Cause.UNSERVED_FIELDS),
        ("duplicate nodePort: {TCP 30180}", Cause.INVALID),
        ("rpc error: code = ResourceExhausted desc = trying to send message larger than max", Cause.TOO_LARGE),
        ("etcdserver: leader changed", Cause.SERVER_ERROR),
        ("", Cause.SERVER_ERROR),
    ],
)
def test_500_by_its_message(message: str, expected: Cause) -> None:
    assert cause(500, status(500, "", message)) is expected


def test_permanent_causes_are_never_repeated() -> None:
    """Neither here nor by a caller that waits for better times."""
    for each in (
        Cause.BAD_REQUEST, Cause.FORBIDDEN, Cause.DENIED, Cause.QUOTA, Cause.NOT_FOUND, Cause.FIELD_CONFLICT,
        Cause.TOO_LARGE, Cause.INVALID, Cause.TYPED_PATCH, Cause.UNAUTHORIZED, Cause.STALE, Cause.UID_MISMATCH,
    ):  # fmt: skip
        assert not repeated(each)
        assert not transient(each)


@given(st.integers(100, 599), st.dictionaries(st.sampled_from(["kind", "message", "reason", "details"]), st.none() | st.integers() | st.just("Status") | st.lists(st.integers()) | st.dictionaries(st.just("causes"), st.lists(st.none()))))  # fmt: skip  # noqa: E501
def test_any_status_has_a_cause(code: int, body: dict[str, object]) -> None:
    assert isinstance(classify_status(code, body, OBJECT, "configmaps"), Cause)
