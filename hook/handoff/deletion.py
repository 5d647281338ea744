"""Carry out one decision: a DELETE or a give-up, on condition of the very read that it was made from."""

from __future__ import annotations

from dataclasses import replace

from hook.cluster.answers import ApiError, Cause
from hook.handoff.adoption import give_up_patch
from hook.handoff.session import Session
from hook.pruning.action import Action, Decision

_MOVED = (Cause.STALE, Cause.NOT_FOUND, Cause.UID_MISMATCH)
_FATAL = (Cause.UNAUTHORIZED, Cause.UNTRUSTED)


def carry_out(session: Session, decision: Decision) -> Decision:
    """What the decision has become; one that writes nothing comes back as it is.

    WAIT stands for an object that moved on meanwhile: it is to be read and decided again. Raises ApiError only where
    the credentials or the server cannot be trusted any more.
    """
    if decision.action not in (Action.DELETE, Action.GIVE_UP):
        return decision
    try:
        return _delete(session, decision) if decision.action is Action.DELETE else _give_up(session, decision)
    except ApiError as error:
        if error.cause in _FATAL:
            raise
        if error.cause in _MOVED:
            return replace(decision, action=Action.WAIT)
        if error.cause is Cause.FORBIDDEN:
            return replace(decision, action=Action.FORBIDDEN, reason=error.message)
        return replace(decision, action=Action.UNKNOWN, reason=error.message)


def _delete(session: Session, decision: Decision) -> Decision:
    identity = decision.identity
    found = session.type_of(identity.of_kind, decision.version)
    if found is None:
        return replace(decision, action=Action.WAIT)  # its API went away meanwhile
    session.objects.delete(
        found,
        identity.namespace,
        identity.name,
        uid=decision.uid,
        resource_version=decision.resource_version,
        propagation=decision.propagation,
    )
    return decision


def _give_up(session: Session, decision: Decision) -> Decision:
    identity = decision.identity
    found = session.type_of(identity.of_kind, decision.version)
    if found is None:
        return replace(decision, action=Action.WAIT)
    live = session.objects.get(found, identity.namespace, identity.name, metadata_only=True)
    if live["metadata"]["resourceVersion"] != decision.resource_version:
        return replace(decision, action=Action.WAIT)
    session.objects.json_patch(found, identity.namespace, identity.name, give_up_patch(session, live), session.manager)
    return decision
