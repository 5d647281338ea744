"""A resource that an inventory lists and no manifest wants any more: it may be pruned, if every rule agrees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hook.manifests.identity import Identity


@dataclass(frozen=True, slots=True)
class Candidate:
    """`version` and `uid` are what the record says and may be out of date; "" where it says nothing.

    `listed_by` names the sets that list it; `retained` tells that it was kept by rule before.
    """

    identity: Identity
    version: str
    uid: str = ""
    listed_by: tuple[str, ...] = ()
    retained: bool = False


def merge(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """One candidate for each identity, sorted: several generations may list the same resource.

    Version and uid are those of the last one that knows them, so pass older records first.
    """
    found: dict[Identity, Candidate] = {}
    for candidate in candidates:
        known = found.get(candidate.identity)
        found[candidate.identity] = candidate if known is None else _united(known, candidate)
    return tuple(found[identity] for identity in sorted(found))


def _united(older: Candidate, newer: Candidate) -> Candidate:
    return replace(
        newer,
        version=newer.version or older.version,
        uid=newer.uid or older.uid,
        listed_by=tuple(sorted({*older.listed_by, *newer.listed_by})),
        retained=older.retained or newer.retained,
    )
