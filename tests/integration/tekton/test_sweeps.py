"""A sample, from all over, of what `python -m tests.sweeps.kill --tekton` does in whole."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.cluster import Cluster
from tests.sweeps import kill
from tests.sweeps.operated import OperatedSubject
from tests.sweeps.sweep import expectation, spread, sweep
from tests.tekton.process import OperatorProcess

KILLS = 3  # lives of four steps, each killed once or twice


def test_a_component_of_the_operator_that_is_killed_at_any_write_converges(
    module_cluster: Cluster, running_operator: OperatorProcess, tmp_path: Path
) -> None:
    expected = expectation(module_cluster, tmp_path, OperatedSubject)
    chosen = spread(kill.kills(expected), KILLS)
    assert sweep(module_cluster, tmp_path, expected, chosen, kill.killed, kind=OperatedSubject) == []
