"""Every manifest is recorded exactly once, in sets that the store takes."""

from __future__ import annotations

import json

from hook.generations.generation import Generation
from hook.generations.sharding import LIMIT, desired_sets
from hook.manifests.identity import Identity
from hook.manifests.manifest import Manifest
from hook.manifests.origin import Origin


def _generation(*identities: Identity) -> Generation:
    manifests = tuple(Manifest({}, identity, "v1", Origin("f", 1)) for identity in identities)
    return Generation("web", "v1", "a" * 64, "shop", manifests)


def test_the_static_set_is_there_even_if_empty() -> None:
    (only,) = desired_sets(_generation(), "shop")
    assert (only.name, only.resources) == ("web-static-aaaaaaaaaaaa", ())


def test_parts_have_a_set_only_where_they_have_resources() -> None:
    sets = desired_sets(
        _generation(
            Identity("apps", "Deployment", "shop", "web"),
            Identity("", "Service", "shop", "web"),
            Identity("", "ConfigMap", "shop", "web"),
        ),
        "shop",
    )
    assert {one.part: len(one.resources) for one in sets} == {"static": 1, "deployment": 2}


def test_twelve_thousand_long_names_are_sharded_below_the_limit() -> None:
    """3.6 MB of identities: more than one object of the store can hold."""
    identities = [Identity("", "ConfigMap", "n" * 63, f"{i:05}" + "x" * 195) for i in range(12_000)]
    sets = desired_sets(_generation(*identities), "shop")
    assert len(sets) >= 4
    assert [entry.identity for one in sets for entry in one.resources] == identities
    assert {one.shards for one in sets} == {len(sets)}
    assert len({one.name for one in sets}) == len(sets)
    for one in sets:
        facts = {f"{i:016x}": {"uid": "0" * 36, "generation": 1_000_000} for i in range(len(one.resources))}
        assert len(json.dumps({**one.to_object(), "status": {"facts": facts}})) <= LIMIT
