"""A second run on the same input: nothing is written, unless somebody has changed what the manifests say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tests.cluster.cluster import Cluster, start_cluster
from tests.cluster.probe import Target, targets_of
from tests.cluster.proxy import Proxy, Request
from tests.corpus import needs_corpus
from tests.hook_process import HookResult, run_handoff
from tests.integration import all_kinds
from tests.integration.drift import SOMEBODY, change_a_value, patch, pointer, remove_a_field
from tests.live_objects import Object, meant, sets_of

pytestmark = [pytest.mark.cluster, needs_corpus(*(name for name, _ in all_kinds.RELEASES))]

MARK = f"owner.installersets.io/{all_kinds.COMPONENT}"
DIGEST = f"applied.installersets.io/{all_kinds.COMPONENT}"


@dataclass(frozen=True, slots=True)
class Installed:
    """A component with objects of all kinds, in a cluster of its own; each test leaves it as it was."""

    cluster: Cluster
    command: list[str]
    manifests: dict[Target, Object]

    def run(self) -> tuple[HookResult, list[Request]]:
        """Runs it again; its result, and the requests that were to change something."""
        with Proxy(self.cluster.kubeconfig) as proxy:
            result = run_handoff(None, *self.command, kubeconfig=proxy.kubeconfig)
            return result, proxy.writes

    def live(self) -> dict[Target, Object]:
        answers = {target: self.cluster.api.request("GET", target.path) for target in self.manifests}
        return {target: answer.body for target, answer in answers.items() if answer.status == 200}


@pytest.fixture(scope="module")
def installed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    if request.config.getoption("--kubeconfig") is not None:
        pytest.skip("needs an empty cluster of its own")
    with start_cluster() as cluster:
        all_kinds.prepare(cluster)
        command = all_kinds.command(tmp_path_factory.mktemp("all-kinds"))
        result = run_handoff(cluster, *command)
        assert result.exit_code == 0, str(result)
        objects = all_kinds.manifests()
        targets = targets_of(cluster.api, objects, namespace=all_kinds.TARGET_NAMESPACE)
        yield Installed(cluster, command, dict(zip(targets, objects, strict=True)))


def _shown(target: Target) -> str:
    """As the hook names a resource."""
    kind = f"{target.kind}.{target.group}" if target.group else target.kind
    return f"{kind} {target.namespace}/{target.name}" if target.namespace else f"{kind} {target.name}"


def _meant(live: dict[Target, Object]) -> dict[str, Object]:
    return {_shown(target): meant(obj) for target, obj in live.items()}


def _logged(result: HookResult, *events: str) -> set[str]:
    return {line["object"] for line in result.log if line["event"] in events}


def assert_nothing_written(result: HookResult, writes: list[Request]) -> None:
    """A set's status may be written: it tells which generation of a resource was seen, and labels can change that."""
    assert result.exit_code == 0, str(result)
    assert [str(write) for write in writes if write.plural != "secrets" and write.subresource != "status"] == []
    # No digest of a Secret stands anywhere, so it is applied each time.
    assert all(write.is_apply for write in writes if write.plural == "secrets")
    assert not result.report["counts"]["created"]
    assert not result.report["counts"]["pruned"]


def _versions(installed: Installed) -> dict[str, str]:
    """What moves when a set's spec, or anything of a Secret, is written."""
    sets = sets_of(installed.cluster.api, all_kinds.NAMESPACE, all_kinds.COMPONENT)
    secrets = [obj for target, obj in installed.live().items() if target.kind == "Secret"]
    versions = {obj["metadata"]["name"]: str(obj["metadata"]["generation"]) for obj in sets}
    return {**versions, **{obj["metadata"]["name"]: obj["metadata"]["resourceVersion"] for obj in secrets}}


def test_a_second_run_on_the_same_input_writes_nothing(installed: Installed) -> None:
    before = _versions(installed)
    result, writes = installed.run()
    assert_nothing_written(result, writes)
    assert _versions(installed) == before


def test_labels_and_annotations_of_others_are_no_reason_to_write(installed: Installed) -> None:
    added = {"somebody.test/was": "here"}
    body = {"metadata": {"labels": added, "annotations": added}}
    for target in installed.manifests:
        answer = installed.cluster.api.request(
            "PATCH", target.path, body, query=SOMEBODY, content_type="application/merge-patch+json"
        )
        assert answer.status == 200, answer.body
    result, writes = installed.run()
    assert_nothing_written(result, writes)
    assert all("somebody.test/was" in obj["metadata"]["annotations"] for obj in installed.live().values())


def test_status_written_by_others_is_no_reason_to_write(installed: Installed) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    seen = {"type": "Seen", "status": "True", "reason": "Seen", "message": "", "lastTransitionTime": now}
    written = set()
    for target, obj in installed.live().items():
        conditions = [*(obj.get("status", {}).get("conditions") or []), seen]
        answer = installed.cluster.api.request(
            "PATCH",
            f"{target.path}/status",
            {"status": {"conditions": conditions}},
            query=SOMEBODY,
            content_type="application/merge-patch+json",
        )
        if answer.status == 200:
            written.add(target.kind)
    assert {"CustomResourceDefinition", "Deployment", "Namespace", "Service", "StatefulSet"} <= written
    result, writes = installed.run()
    assert_nothing_written(result, writes)


Change = Callable[..., bool]


@pytest.mark.parametrize("change", [change_a_value, remove_a_field])
def test_a_field_of_ours_that_somebody_changed_is_found_and_put_right(installed: Installed, change: Change) -> None:
    before = installed.live()
    drifted = [
        target
        for turn, (target, manifest) in enumerate(installed.manifests.items())
        if change(installed.cluster.api, target, manifest, before[target], turn)
    ]
    kinds = {target.kind for target in installed.manifests}
    assert kinds - {target.kind for target in drifted} <= {"Secret", "Namespace"}  # these say next to nothing
    result, _ = installed.run()
    assert result.exit_code == 0, str(result)
    changed = _logged(result, "changed")
    assert {_shown(target) for target in drifted} - changed == set()
    assert {name for name in changed if not name.startswith("Secret ")} <= {_shown(target) for target in drifted}
    assert _meant(installed.live()) == _meant(before)


@pytest.mark.parametrize(("place", "key"), [("labels", MARK), ("annotations", DIGEST)], ids=["owner mark", "digest"])
def test_a_sign_of_ours_that_somebody_took_off_is_put_back(installed: Installed, place: str, key: str) -> None:
    before = installed.live()
    drifted = [target for target, obj in before.items() if key in obj["metadata"].get(place, {})]
    for target in drifted:
        removed = [{"op": "remove", "path": pointer(("metadata", place, key))}]
        assert patch(installed.cluster.api, target, removed) is not None
    result, _ = installed.run()
    assert result.exit_code == 0, str(result)
    assert {_shown(target) for target in drifted} - _logged(result, "changed") == set()
    assert _meant(installed.live()) == _meant(before)


def test_what_somebody_deleted_is_created_again(installed: Installed) -> None:
    # A Namespace or a definition would take other objects along; a Job is work that was done.
    spared = ("Namespace", "CustomResourceDefinition", "Job")
    before = installed.live()
    deleted = [target for target in before if target.kind not in spared]
    for target in deleted:
        body = {"propagationPolicy": "Background"}
        assert installed.cluster.api.request("DELETE", target.path, body).status in (200, 202)
    result, _ = installed.run()
    assert result.exit_code == 0, str(result)
    assert {_shown(target) for target in deleted} == _logged(result, "created")
    now = _meant(installed.live())
    assert now.keys() == _meant(before).keys()
