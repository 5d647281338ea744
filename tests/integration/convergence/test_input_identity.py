"""The digest of the input that is meant: another one, such as a ConfigMap of another revision, is refused at once."""

from __future__ import annotations

import pytest

from tests.cluster.proxy import Proxy
from tests.hook_process import run_handoff
from tests.integration.component_run import ComponentRun


def digest_of(run: ComponentRun, version: int) -> str:
    """What `handoff check` prints for a version."""
    result = run_handoff(None, *run.command(version, name="check"))
    assert result.exit_code == 0, str(result)
    digest: str = result.report["digest"]
    return digest


@pytest.mark.parametrize("way", ["flag", "environment"])
@pytest.mark.parametrize("name", ["run", "pre-sync", "post-sync"])
def test_another_input_than_the_one_that_is_meant_is_refused_before_any_request(
    run: ComponentRun, proxy: Proxy, way: str, name: str
) -> None:
    meant = digest_of(run, 1)
    options = ["--digest", meant] if way == "flag" else []
    environment = {"HANDOFF_DIGEST": meant} if way == "environment" else {}
    command = run.command(2, *options, name=name)
    result = run_handoff(None, *command, kubeconfig=proxy.kubeconfig, environment=environment)
    assert result.exit_code == 3, str(result)
    assert meant in result.report["message"]
    assert proxy.requests == []


def test_the_input_that_is_meant_is_installed(run: ComponentRun) -> None:
    result = run.run(1, "--digest", digest_of(run, 1))
    assert result.exit_code == 0, str(result)
    run.assert_finished(1)
