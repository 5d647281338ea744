"""What the engine needs of a kind of sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hook.generations.installer_set import Fact, InstallerSet
from hook.records.conditions import Condition


class Records(Protocol):
    """The sets of one component. Every method may raise ApiError; none retries a decision by itself."""

    def prepare(self) -> None:
        """Make sure that sets can be written (their CRD is served)."""

    def read(self) -> tuple[InstallerSet, ...]:
        """All sets of the component, retiring ones too; none when sets are not served at all."""

    def create(self, wanted: InstallerSet) -> InstallerSet:
        """Create the set; one of the same name that is there already is returned as it stands."""

    def update(self, changed: InstallerSet) -> InstallerSet:
        """Write the spec and labels, on condition of uid and resourceVersion."""

    def write_status(
        self, current: InstallerSet, conditions: tuple[Condition, ...], facts: Mapping[str, Fact] | None = None
    ) -> InstallerSet:
        """Write conditions (and facts, where given); nothing is sent when nothing would change."""

    def delete(self, current: InstallerSet) -> None:
        """Delete the set, on condition of uid and resourceVersion; one that is gone already is fine."""
