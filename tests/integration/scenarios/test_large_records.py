"""Records of a component that is larger than one object of the store can be (B16)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hook.cluster.connection import Connection
from hook.generations.generation import Generation
from hook.generations.installer_set import Fact, InstallerSet, fact_key
from hook.generations.sharding import desired_sets
from hook.handoff.opening import unlocked
from hook.manifests.identity import Identity
from hook.manifests.manifest import Manifest
from hook.manifests.origin import Origin
from hook.records.conditions import applying
from hook.report.journal import Journal
from hook.settings import Settings
from tests.cluster.cluster import Cluster

pytestmark = pytest.mark.cluster


def test_b16_twelve_thousand_long_names_are_recorded_with_all_that_is_learnt_about_them(
    shared_cluster: Cluster, namespace: str, component: str
) -> None:
    """3.6 MB of identities; what is written after the apply must not be the part that does not fit."""
    identities = [Identity("", "ConfigMap", "n" * 63, f"{i:05}" + "x" * 195) for i in range(12_000)]
    manifests = tuple(Manifest({}, identity, "v1", Origin("f", 1)) for identity in identities)
    generation = Generation(component, "v1", "a" * 64, namespace, manifests)
    connection = Connection.open(str(shared_cluster.kubeconfig), None)
    settings = replace(Settings(), component=component, namespace=namespace)
    session = unlocked(connection, settings, Journal())
    session.records.prepare()

    def learnt(one: InstallerSet) -> InstallerSet:
        facts = {fact_key(entry.identity): Fact("0" * 36, 1_000_000, complete=True) for entry in one.resources}
        return session.records.write_status(one, applying(), facts)

    wanted = desired_sets(generation, namespace)
    assert len(wanted) >= 4
    for one in wanted:
        learnt(session.records.create(one))
    sets = sorted(session.records.read(), key=lambda one: one.shard)
    assert [entry.identity for one in sets for entry in one.resources] == identities
    assert sum(len(one.facts) for one in sets) == 12_000
    for one in sets:
        session.records.delete(one)
    connection.close()
