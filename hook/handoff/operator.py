"""Who keeps the resources besides a run: the operator of another kind of sets, where there is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet, SetReference
from hook.generations.predecessors import NOBODY, Predecessors
from hook.manifests.identity import Identity, Object
from hook.rights.right import Needed

Sets = tuple[InstallerSet, ...]


class Operator(Protocol):
    """The engine brings objects about itself. These steps bring the operator's own sets along, so that it never undoes
    what a run does, keeps the desired generation afterwards, and lets go of the old one.

    Every method may raise ApiError and what the deadline raises.
    """

    present: bool

    @property
    def predecessors(self) -> Predecessors:
        """Who keeps resources of the component's sets, known after `survey`."""

    @property
    def elsewhere(self) -> Mapping[Identity, str]:
        """What sets of the operator that are not the component's list → that set."""

    def survey(self, generation: Generation | None, sets: Sequence[InstallerSet]) -> Sets:
        """Look, before any write; `generation` is None for a removal.

        Returns all sets of the component: those with a record, and the operator's own that are to be taken over, which
        have none yet (no uid). Raises Refused where somebody would fight the handoff.
        """

    def rights(self) -> Collection[Needed]:
        """What it needs to be permitted besides what any run needs."""

    def record(self, sets: Sequence[InstallerSet]) -> Sets:
        """Write the records that are missing; returns all of them as they stand."""

    def set_for(self, wanted: InstallerSet) -> SetReference | None:
        """The operator's set that is to keep what a desired set lists; its uid is not known yet."""

    def release(self, generation: Generation, old: Sequence[InstallerSet]) -> None:
        """Have the old sets let go of what the generation lists, before anything of it is applied."""

    def install(self, generation: Generation, desired: Sequence[InstallerSet], live: Mapping[Identity, Object]) -> None:
        """Have the new sets keep what stands in the cluster as the manifests say, and own all of the generation."""

    def await_ready(
        self, generation: Generation, desired: Sequence[InstallerSet], tell: Callable[[Sequence[str]], None]
    ) -> bool:
        """Return when the operator agrees that the new sets are Ready; whether that took more than a look."""

    def park(self, retired: Sequence[InstallerSet]) -> None:
        """Have the retired sets keep nothing any more, before what they list is pruned."""

    def let_go(self, identity: Identity, version: str) -> None:
        """No set of the operator owns what is obsolete and stays any more."""

    def dismiss(self, retired: InstallerSet) -> str:
        """Delete the operator's set of a record of which nothing is left; why it is still there, or ""."""

    def finish(self, desired: Sequence[InstallerSet]) -> None:
        """What may only be done when the old sets are gone."""


class NoOperator:
    """Nobody but the runs themselves."""

    present = False
    predecessors = NOBODY
    elsewhere: Mapping[Identity, str] = {}

    def survey(self, generation: Generation | None, sets: Sequence[InstallerSet]) -> Sets:
        return tuple(sets)

    def rights(self) -> Collection[Needed]:
        return ()

    def record(self, sets: Sequence[InstallerSet]) -> Sets:
        return tuple(sets)

    def set_for(self, wanted: InstallerSet) -> SetReference | None:
        return None

    def release(self, generation: Generation, old: Sequence[InstallerSet]) -> None:
        pass

    def install(self, generation: Generation, desired: Sequence[InstallerSet], live: Mapping[Identity, Object]) -> None:
        pass

    def await_ready(
        self, generation: Generation, desired: Sequence[InstallerSet], tell: Callable[[Sequence[str]], None]
    ) -> bool:
        return False

    def park(self, retired: Sequence[InstallerSet]) -> None:
        pass

    def let_go(self, identity: Identity, version: str) -> None:
        pass

    def dismiss(self, retired: InstallerSet) -> str:
        return ""

    def finish(self, desired: Sequence[InstallerSet]) -> None:
        pass
