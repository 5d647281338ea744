"""What a run may come to prune, as the records say before it begins, and the bound on that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hook.generations.generation import Generation
from hook.generations.installer_set import InstallerSet
from hook.manifests.identity import Identity
from hook.pruning.guards.kept_kinds import KEPT_KINDS
from hook.settings import Settings


def obsolete(generation: Generation, sets: Sequence[InstallerSet], prune_kinds: Collection[str]) -> list[Identity]:
    """What only other generations list, and what was kept of a kind that now may go: the most that can be pruned."""
    listed = {e.identity for one in sets if one.digest != generation.digest for e in one.resources}
    listed |= {e.identity for one in sets for e in one.retained if e.identity.kind in prune_kinds}
    return sorted(listed - generation.identities)


def check_limit(settings: Settings, candidates: Sequence[Identity], sets: Sequence[InstallerSet]) -> None:
    """Raises Refused where more would be pruned than `--max-prune` allows; kinds that are kept do not count."""
    prunable = [i for i in candidates if i.of_kind not in KEPT_KINDS or i.kind in settings.prune_kind]
    listed = {e.identity for one in sets for e in (*one.resources, *one.retained)}
    settings.max_prune.check(prunable, len(listed))
