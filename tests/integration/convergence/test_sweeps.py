"""A sample, from all over, of what `python -m tests.sweeps.kill` and `... faults` do in whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.sweeps import faults, kill
from tests.sweeps.chain import Expected
from tests.sweeps.sweep import expectation, spread, sweep

# Each of these lives has four steps, and so four kills (or eight), or faults in four of its runs.
KILLS = 6
PLACES = 3
SEEDS = 3


@pytest.fixture(scope="module")
def expected(shared_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Expected:
    """What an undisturbed life is like."""
    return expectation(shared_cluster, tmp_path_factory.mktemp("expected"))


@pytest.mark.xdist_group("sweeps")
def test_a_component_that_is_killed_at_any_write_converges(
    shared_cluster: Cluster, expected: Expected, tmp_path: Path
) -> None:
    chosen = spread(kill.kills(expected), KILLS)
    assert sweep(shared_cluster, tmp_path, expected, chosen, kill.killed) == []


@pytest.mark.xdist_group("sweeps")
def test_a_component_whose_requests_fail_converges(shared_cluster: Cluster, expected: Expected, tmp_path: Path) -> None:
    chosen = [*spread(faults.places(expected), PLACES), *faults.chances(SEEDS)]
    assert sweep(shared_cluster, tmp_path, expected, chosen, faults.faulty) == []
