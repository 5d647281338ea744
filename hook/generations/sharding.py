"""Splitting one part's inventory over several sets, so that none comes near the store's limit."""

from __future__ import annotations

import json
from collections.abc import Iterable

from hook.generations.generation import Generation
from hook.generations.installer_set import Entry, InstallerSet, set_name
from hook.manifests.parts import Part

# Spec and status of a set together. etcd refuses requests of 1.5 MiB, and a status that is written after
# the apply must never be the one that does not fit, so its room is reserved here.
LIMIT = 900 * 1024
_FACT = 110  # bytes of status per resource: key, uid, generation, completion
_FRAME = 64 * 1024  # metadata, conditions, `replaces` and what may come to `retained`


def desired_sets(generation: Generation, namespace: str, revision: str = "") -> tuple[InstallerSet, ...]:
    """The sets that record a (placed) generation: static always, the other parts where there are any."""
    sets: list[InstallerSet] = []
    for part in Part:
        manifests = generation.part(part)
        if not manifests and part is not Part.STATIC:
            continue
        entries = [Entry(m.identity, m.version) for m in manifests]
        chunks = list(_chunks(entries)) or [()]
        for shard, chunk in enumerate(chunks):
            sets.append(
                InstallerSet(
                    namespace=namespace,
                    component=generation.component,
                    version=generation.version,
                    digest=generation.digest,
                    part=part.value,
                    target_namespace=generation.target_namespace,
                    resources=chunk,
                    shard=shard,
                    shards=len(chunks),
                    revision=revision,
                    name=set_name(generation.component, part.value, generation.short, shard),
                )
            )
    return tuple(sets)


def _chunks(entries: Iterable[Entry]) -> Iterable[tuple[Entry, ...]]:
    chunk: list[Entry] = []
    size = _FRAME
    for entry in entries:
        weight = len(json.dumps(entry.to_object())) + _FACT
        if chunk and size + weight > LIMIT:
            yield tuple(chunk)
            chunk, size = [], _FRAME
        chunk.append(entry)
        size += weight
    if chunk:
        yield tuple(chunk)
