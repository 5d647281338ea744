"""What `handoff rbac` prints for a component that the Tekton operator keeps is enough for its handoffs."""

from __future__ import annotations

from tests.hook_process import run_handoff
from tests.integration.small_component import write
from tests.integration.tekton.operated_component import OperatedComponent

KIND = {"HANDOFF_KIND": "tekton"}


def test_the_rights_that_are_printed_are_enough_from_the_first_handoff_to_the_removal(
    operated: OperatedComponent,
) -> None:
    operated.install()
    one, two = (write(operated.directory, version, operated.objects(version)) for version in (1, 2))
    named = ("--component", operated.name, "--namespace", operated.name)
    account = ("--with-service-account", "--service-account", "handoff", "--name", operated.name)
    for source, previous in ((one, two), (two, one)):
        asked = ("rbac", "--source", source, "--previous", previous, "--whole-kinds", *named, *account)
        printed = run_handoff(None, *asked, environment=KIND)
        assert printed.exit_code == 0, str(printed)
        operated.cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=printed.stdout)
        kubeconfig = operated.cluster.service_account_kubeconfig(operated.name, "handoff")
        version = 2 if source == two else 1
        result = run_handoff(None, *operated.command(version), kubeconfig=kubeconfig)
        assert result.exit_code == 0, str(result)
        operated.assert_finished(version)
    assert run_handoff(None, "remove", *named, kubeconfig=kubeconfig).exit_code == 0
    assert operated.tekton_sets() == []
