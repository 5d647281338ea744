"""API groups that do not answer for a moment: what the desired generation needs of them is waited for."""

from __future__ import annotations

from collections.abc import Iterable

from hook.handoff.session import Session
from hook.manifests.identity import Kind
from hook.report.log import logger

_PATIENCE = 30.0  # seconds, and no more than this share of the time that is left
_SHARE = 1 / 3
_PAUSE = 1.0


def await_groups(session: Session, kinds: Iterable[Kind]) -> None:
    """Read discovery again until every one of these kinds is known, served or not; gives up silently after a while.

    A group whose API server is restarting is in discovery by name alone. What then still is unknown, is nowhere taken
    for absent.
    """
    wanted = set(kinds)
    left = min(_PATIENCE, session.deadline.remaining() * _SHARE)
    while left > 0 and (unknown := sorted(kind.group for kind in wanted if session.discovery.is_unknown(kind))):
        logger().info("waiting for API groups that do not answer", groups=sorted(set(unknown)))
        session.deadline.pause(_PAUSE)
        left -= _PAUSE
        session.refresh_discovery()
