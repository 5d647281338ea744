"""What every decision of one prune is made against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hook.generations.predecessors import NOBODY, Predecessors
from hook.manifests.identity import Identity
from hook.pruning.contents import Contents


@dataclass(frozen=True, slots=True)
class PruneContext:
    """`component` has its sets in `namespace`. Successors are its own sets that do not retire.

    - `successors`: identities that they list;
    - `successor_uids`: live uid → the identity that it was read under;
    - `successors_unread`: those whose live uid could not be read;
    - `prune_kinds`: kinds that may go although they are kept by rule, by name, e.g. "Namespace";
    - `removing`: the component goes entirely, so that what is kept is given up;
    - `unknown_groups`: API groups that are needed and of which nothing can be said now;
    - `predecessors`: who kept the resources of the retiring sets besides us;
    - `elsewhere`: what an operator's set of somebody else lists → that set;
    - `contents`: by identity of the Namespace or CRD; one that is missing here counts as unknown.
    """

    component: str
    namespace: str
    successors: frozenset[Identity] = frozenset()
    successor_uids: Mapping[str, Identity] = field(default_factory=dict)
    successors_unread: frozenset[Identity] = frozenset()
    prune_kinds: frozenset[str] = frozenset()
    removing: bool = False
    unknown_groups: frozenset[str] = frozenset()
    predecessors: Predecessors = NOBODY
    elsewhere: Mapping[Identity, str] = field(default_factory=dict)
    contents: Mapping[Identity, Contents] = field(default_factory=dict)
