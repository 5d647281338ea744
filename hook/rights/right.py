"""One right, and what it is needed for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """A verb on a resource, as the authorizer is asked for it.

    `namespace` "" is the cluster scope, or all namespaces; `name` "" is any object of that resource.
    """

    group: str
    plural: str
    verb: str
    namespace: str
    name: str = ""
    subresource: str = ""

    @property
    def resource(self) -> str:
        """As in a rule: `deployments`, `installersets/status`."""
        return f"{self.plural}/{self.subresource}" if self.subresource else self.plural

    @property
    def unnamed(self) -> Right:
        """The same for any object."""
        return replace(self, name="")

    def __str__(self) -> str:
        what = f"{self.resource}.{self.group}" if self.group else self.resource
        named = f" {self.name}" if self.name else ""
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.verb} {what}{named}{where}"


class Need(StrEnum):
    """What becomes of a run without the right."""

    RUN = "run"  # it ends with exit code 5
    PRUNE = "prune"  # what is obsolete is not pruned, or not removed: exit code 6
    OPTIONAL = "optional"  # it does its work; what it cannot do instead is in the reason


@dataclass(frozen=True, slots=True)
class Needed:
    """`why` is a line for people, the same for all rights of one purpose."""

    right: Right
    need: Need
    why: str
