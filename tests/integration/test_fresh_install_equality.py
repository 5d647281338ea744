"""After an upgrade a cluster holds what a fresh install of the new version would have put there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cluster.cluster import Cluster, start_cluster
from tests.corpus import needs_corpus
from tests.hook_process import run_handoff
from tests.integration.tekton_release import NEW, OLD, command, objects
from tests.live_objects import Object, meant_all, read

pytestmark = [pytest.mark.cluster, needs_corpus("tekton-pipeline")]


def installed(cluster: Cluster, *versions: str) -> dict[str, Object]:
    for version in versions:
        result = run_handoff(cluster, *command(version))
        assert result.exit_code == 0, str(result)
    return meant_all(read(cluster.api, objects(NEW)))


def test_an_upgraded_release_equals_a_fresh_install_object_by_object(fresh_cluster: Cluster) -> None:
    with start_cluster() as other, ThreadPoolExecutor() as pool:
        upgrading = pool.submit(installed, other, OLD, NEW)
        fresh = installed(fresh_cluster, NEW)
        upgraded = upgrading.result()
    assert len(fresh) == len(objects(NEW))
    assert upgraded.keys() == fresh.keys()
    for name, obj in fresh.items():
        assert upgraded[name] == obj, name
