"""How many resources one run may prune: a bound against a wrong or half-rendered input."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hook.errors import InvalidInput, Refused
from hook.manifests.identity import Identity

_FORM = re.compile(r"([0-9]{1,9})(%?)")
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class PruneLimit:
    """`--max-prune`: a number of resources, or a percentage of what the retiring sets list."""

    value: int
    percent: bool = False

    @classmethod
    def parse(cls, text: str) -> PruneLimit:
        """`50` or `20%`; raises InvalidInput for anything else and for more than 100%."""
        match = _FORM.fullmatch(text)
        if not match or (match[2] and int(match[1]) > 100):
            raise InvalidInput(f"must be a number such as 50, or a percentage such as 20%, not {text!r}")
        return cls(int(match[1]), bool(match[2]))

    def __str__(self) -> str:
        return f"{self.value}%" if self.percent else str(self.value)

    def check(self, obsolete: Sequence[Identity], listed: int) -> None:
        """Raise Refused when more is obsolete than may go; a percentage is of `listed` resources, rounded down."""
        allowed = listed * self.value // 100 if self.percent else self.value
        if len(obsolete) <= allowed:
            return
        details = [str(identity) for identity in sorted(obsolete)[:_SHOWN]]
        if len(obsolete) > _SHOWN:
            details.append(f"... and {len(obsolete) - _SHOWN} more")
        raise Refused(
            f"{len(obsolete)} of {listed} resources would be pruned, --max-prune {self} allows {allowed}: "
            "if the input is complete, raise --max-prune",
            details,
        )
