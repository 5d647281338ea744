"""The shape of a guard."""

from __future__ import annotations

from collections.abc import Callable

from hook.pruning.action import Decision
from hook.pruning.candidate import Candidate
from hook.pruning.context import PruneContext
from hook.pruning.reading import LiveRead, Present

# A rule that can fit whatever the live read said.
Guard = Callable[[Candidate, LiveRead, PruneContext], Decision | None]

# A rule about an object that was read; its metadata has been found well-formed.
PresentGuard = Callable[[Candidate, Present, PruneContext], Decision | None]
