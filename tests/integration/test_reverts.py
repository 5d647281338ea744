"""Git goes back in the middle of a handoff: a release whose upgrade was killed is reverted."""

from __future__ import annotations

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.proxy import Proxy, Request
from tests.corpus import needs_corpus
from tests.hook_process import run_handoff
from tests.integration.component_run import expire_lease, run_killed
from tests.integration.tekton_release import COMPONENT, NAMESPACE, NEW, OLD, command, objects
from tests.live_objects import meant_all, read, sets_of

pytestmark = [pytest.mark.cluster, needs_corpus("tekton-pipeline")]

KEPT_NEWER = "CustomResourceDefinition stepactions.tekton.dev"


def retires(request: Request) -> bool:
    return request.method == "PUT" and request.plural == "installersets" and "retiredBy" in request.json["spec"]


@pytest.mark.parametrize("after", [False, True], ids=["before retirement began", "after it began"])
def test_a_release_whose_upgrade_was_killed_can_be_reverted(fresh_cluster: Cluster, after: bool) -> None:
    api = fresh_cluster.api
    old = objects(OLD)
    assert run_handoff(fresh_cluster, *command(OLD)).exit_code == 0
    before = meant_all(read(api, old))
    with Proxy(fresh_cluster.kubeconfig) as proxy:
        run_killed(proxy, proxy.hold(retires, after=after), *command(NEW))
    retiring = [one for one in sets_of(api, NAMESPACE, COMPONENT) if "retiredBy" in one["spec"]]
    assert len(retiring) == (1 if after else 0)
    expire_lease(fresh_cluster, NAMESPACE, COMPONENT)

    result = run_handoff(fresh_cluster, *command(OLD))

    assert result.exit_code == 0, str(result)
    assert any("stepactions" in name for name in result.objects("kept"))
    sets = sets_of(api, NAMESPACE, COMPONENT)
    assert [one["spec"]["version"] for one in sets] == [OLD, OLD]
    assert not [one for one in sets if "retiredBy" in one["spec"]]
    now = meant_all(read(api, old))
    assert now.keys() == before.keys()
    for name in before.keys() - {KEPT_NEWER}:
        assert now[name] == before[name], name
