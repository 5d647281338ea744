"""The tree of errors, each with the exit code that it ends a run with.

HandoffError            1  transient failure, state saved: a retry can help
├── Unreachable         1  the API server could not be asked
├── LockedError         1  the Lease was not had in time
├── InvalidInput        2  usage, settings or manifests: nothing was sent
├── Refused             3  a rule forbids it; names the rule and the way out
├── WorkloadFailed      4  failed for good, or blocked until somebody acts
├── RightsMissing       5  denied by the authorizer, or credentials refused
├── PruneIncomplete     6  the handoff is done, something is left to prune
├── TimeLimit         124  not Ready in time; nothing was retired
└── Terminated        143  SIGTERM
"""

from __future__ import annotations

from typing import ClassVar


class HandoffError(Exception):
    """A run that ends without having reached its goal.

    `message` names the object, the cause and what to do, in one line or a few; it never holds a secret value.
    `details` are further lines for people (one finding each), shown below the message.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, details: tuple[str, ...] | list[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n  ".join((self.message, *self.details))


class Unreachable(HandoffError):
    """The API server, or one of its groups, could not be asked or gave no usable answer."""


class LockedError(HandoffError):
    """Another run holds the component's Lease."""


class InvalidInput(HandoffError):
    """Usage, settings or manifests that cannot be acted on. Raised before any request."""

    exit_code = 2


class Refused(HandoffError):
    """What was asked for is understood and forbidden by a rule, or by the API server."""

    exit_code = 3


class WorkloadFailed(HandoffError):
    """A resource of the desired generation failed for good, or is blocked."""

    exit_code = 4


class RightsMissing(HandoffError):
    """The authorizer denied a request, or the credentials were refused."""

    exit_code = 5


class PruneIncomplete(HandoffError):
    """The desired generation serves; something obsolete is still there and still recorded."""

    exit_code = 6


class TimeLimit(HandoffError):
    """The desired generation was not Ready in time; the old one was not retired."""

    exit_code = 124


class Terminated(HandoffError):
    """SIGTERM was received."""

    exit_code = 143
