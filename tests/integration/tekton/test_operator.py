"""The set reconciler that plays the Tekton operator does what the operator was measured to do, good or bad."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tests.cluster.cluster import Cluster
from tests.integration.scenarios.objects import (
    config_map,
    definition,
    deployment,
    job,
    namespace_of,
    stateful_set,
)
from tests.live_objects import Object
from tests.tekton.definitions import API_VERSION, PIPELINE, PIPELINES_PATH, SETS_PATH
from tests.tekton.lifecycle import CREATED_BY, RELEASE_VERSION, TYPE
from tests.tekton.ownership import controller_reference
from tests.tekton.process import LifecycleProcess, OperatorProcess
from tests.tekton.reconciler import FINALIZER
from tests.tekton.sets import Sets, live, repoint, wait

MERGE = "application/merge-patch+json"
# The garbage collector looks for kinds that are new every thirty seconds; before that it knows of no sets.
GARBAGE_COLLECTION = 90.0
NEVER_READY = {"pods.test/ready-after": "never"}


class Place:
    """A namespace of its own, and what a test does in it."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.api, self.cluster, self.name = cluster.api, cluster, name
        self.sets = Sets(cluster.api)

    def set_name(self, name: str) -> str:
        return f"{name}-{self.name}"

    def make(self, name: str, *manifests: Object) -> str:
        """A new set that is Ready; returns its name in the cluster."""
        created = self.set_name(name)
        self.sets.create(created, manifests)
        self.sets.until_ready(created)
        return created

    def live(self, manifest: Object) -> Object | None:
        return live(self.api, manifest)

    def there(self, manifest: Object) -> Object:
        found = self.live(manifest)
        assert found is not None, f"{manifest['kind']} {manifest['metadata']['name']} is absent"
        return found

    def owners(self, manifest: Object) -> list[str]:
        return [reference["name"] for reference in self.there(manifest)["metadata"].get("ownerReferences") or []]

    def uid(self, manifest: Object) -> str | None:
        found = self.live(manifest)
        return str(found["metadata"]["uid"]) if found else None

    def patch(self, path: str, change: Object) -> None:
        answer = self.api.request("PATCH", path, change, content_type=MERGE)
        assert answer.status == 200, answer.body

    def patch_config_map(self, manifest: Object, change: Object) -> None:
        self.patch(f"/api/v1/namespaces/{self.name}/configmaps/{manifest['metadata']['name']}", change)

    def pods_ready(self, workload: Object) -> None:
        """Lets the pods of a workload become Ready that its manifest holds back."""
        path = f"/api/v1/namespaces/{self.name}/pods"
        query = {"labelSelector": f"app={workload['metadata']['name']}"}
        items = self.api.request("GET", path, query=query).body["items"]
        assert items
        for pod in items:
            ready = {"metadata": {"annotations": {"pods.test/ready-after": None}}}
            self.patch(f"{path}/{pod['metadata']['name']}", ready)


@pytest.fixture
def operator(module_cluster: Cluster) -> Iterator[OperatorProcess]:
    with OperatorProcess(module_cluster) as process:
        yield process


@pytest.fixture
def place(module_cluster: Cluster, operator: OperatorProcess) -> Iterator[Place]:
    """Torn down while the operator still runs: it has to let its sets go."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    api = module_cluster.api
    assert api.request("POST", "/api/v1/namespaces", namespace_of(name)).status == 201
    yield Place(module_cluster, name)
    operator.start()
    for path in (PIPELINES_PATH, SETS_PATH, f"/api/v1/namespaces/{name}"):
        api.request("DELETE", path)
    wait(lambda: not api.request("GET", SETS_PATH).body["items"], "the sets are gone")


def test_a_set_is_installed_under_its_finalizer(place: Place) -> None:
    config, workload = config_map(place.name, "config"), deployment(place.name, "controller")
    name = place.make("a", config, workload)

    made = place.sets.get(name)
    assert made is not None
    assert made["metadata"]["finalizers"] == [FINALIZER]
    for manifest in (config, workload):
        (owner,) = place.there(manifest)["metadata"]["ownerReferences"]
        assert (owner["uid"], owner["controller"]) == (made["metadata"]["uid"], True)
    annotations = place.there(config)["metadata"]["annotations"]
    assert list(annotations) == ["operator.tekton.dev/last-applied-hash"]  # and no last-applied-configuration
    assert "operator.tekton.dev/last-applied-hash" not in place.there(workload)["metadata"].get("annotations", {})


def test_the_status_is_sorted_and_of_no_generation(place: Place) -> None:
    made = place.sets.get(place.make("a", config_map(place.name, "config")))

    assert made is not None
    kinds = [condition["type"] for condition in made["status"]["conditions"]]
    assert len(kinds) == 10
    assert kinds == sorted(kinds)
    assert "observedGeneration" not in made["status"]


def test_an_equal_hash_leaves_drift_where_it_is(place: Place) -> None:
    """The second ConfigMap tells when the pass after the drift has gone by the first."""
    drifted, changed = config_map(place.name, "first"), config_map(place.name, "second")
    name = place.make("a", drifted, changed)
    place.patch_config_map(drifted, {"data": {"key": "drifted"}})

    place.sets.edit(name, [drifted, config_map(place.name, "second", {"key": "new"})])
    wait(lambda: place.there(changed)["data"]["key"] == "new", "the set was reconciled")

    assert place.there(drifted)["data"]["key"] == "drifted"


def test_drift_of_a_deployment_is_repaired_at_once(place: Place) -> None:
    workload = deployment(place.name, "web", replicas=1)
    place.make("a", workload)

    place.patch(f"/apis/apps/v1/namespaces/{place.name}/deployments/web", {"spec": {"replicas": 3}})

    wait(lambda: place.there(workload)["metadata"]["generation"] == 3, "it was changed back")
    assert place.there(workload)["spec"]["replicas"] == 1


def test_labels_of_a_deployment_are_never_taken_away(place: Place) -> None:
    labelled, bare = deployment(place.name, "web"), deployment(place.name, "web", "v2")
    labelled["metadata"]["labels"] = {"old": "yes"}
    name = place.make("a", labelled)

    place.sets.edit(name, [bare])
    wait(lambda: place.there(bare)["metadata"]["generation"] == 2, "it was changed")

    assert place.there(bare)["metadata"]["labels"] == {"old": "yes"}


def test_a_key_goes_only_if_a_merge_brought_it(place: Place) -> None:
    config, other = config_map(place.name, "config", {"a": "1", "created": "1"}), config_map(place.name, "other")
    name = place.make("a", config, other)
    for data, expected in (({"a": "1", "merged": "1"}, {"a", "created", "merged"}), ({"a": "2"}, {"a", "created"})):
        place.sets.edit(name, [config_map(place.name, "config", data)])
        wait(
            lambda expected=expected: place.there(config)["data"].keys() == expected,
            f"the keys are {expected}",
            found=lambda: place.there(config)["data"],
        )


def test_the_finalizer_deletes_by_name_what_another_set_owns(place: Place) -> None:
    """And the other set, Ready all the time, does not notice."""
    config = config_map(place.name, "config")
    old, new = place.make("a", config), place.make("b", config)
    assert place.owners(config) == [new]

    place.sets.delete(old)
    place.sets.until_gone(old)

    assert place.live(config) is None
    place.sets.until_ready(new)  # it was all the time, unless a pass was due anyway and made them again


def test_stripped_and_repointed_everything_survives(place: Place) -> None:
    shared = (config_map(place.name, "config"), deployment(place.name, "web"), stateful_set(place.name, "db"))
    obsolete = config_map(place.name, "obsolete")
    old = place.make("a", obsolete, *shared)
    place.sets.edit(old, [obsolete])
    new = place.make("b", *shared)
    made = place.sets.get(new)
    assert made is not None
    for manifest in shared[1:]:
        repoint(place.api, manifest, new, made["metadata"]["uid"])
    uids = [place.uid(manifest) for manifest in shared]

    place.sets.delete(old)
    place.sets.until_gone(old)

    assert place.live(obsolete) is None
    assert [place.uid(manifest) for manifest in shared] == uids


def test_without_the_events_of_its_deployment_a_set_stays_unready(place: Place, operator: OperatorProcess) -> None:
    """They go to the set that controls the Deployment. The one that only lists it needs a touch."""
    workload = deployment(place.name, "web", pods=NEVER_READY)
    old, new = place.set_name("a"), place.set_name("b")
    place.sets.create(old, [workload])
    wait(lambda: place.sets.condition(old).get("status") == "False", f"{old} waits", found=lambda: place.sets.get(old))
    place.sets.create(new, [workload])
    wait(lambda: place.sets.condition(new).get("message", "") == "Deployment: web deployment not ready", "it waits")
    operator.until_idle()

    place.pods_ready(workload)
    place.sets.until_ready(old)
    assert not place.sets.ready(new)

    place.sets.touch(new)
    place.sets.until_ready(new)


def test_an_empty_set_is_ready_and_goes_at_once(place: Place) -> None:
    name = place.make("a")

    place.sets.delete(name)
    place.sets.until_gone(name, timeout=3.0)


def test_two_sets_fight_for_a_stateful_set_without_end(place: Place) -> None:
    """Alone a StatefulSet may come to rest in the end; beside other kinds it never does."""
    old, new = stateful_set(place.name, "db", "v1"), stateful_set(place.name, "db", "v2")
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": place.name, "name": "db"}}
    web = [deployment(place.name, "web", version) for version in ("v1", "v2")]
    place.make("a", account, web[0], old)

    place.sets.create(place.set_name("b"), [account, web[1], new])

    wait(lambda: place.there(old)["metadata"]["generation"] > 6, "it was rolled out again and again", timeout=40.0)


def test_a_fight_for_a_deployment_ends_on_the_old_image_with_both_sets_ready(
    place: Place, operator: OperatorProcess
) -> None:
    old, new = deployment(place.name, "web", "v1"), deployment(place.name, "web", "v2")
    sets = [place.make("a", old), place.set_name("b")]
    place.sets.create(sets[1], [new])

    # A conflict of the two leaves one of them unready, and both at rest, for ten seconds.
    wait(lambda: operator.idle() and all(map(place.sets.ready, sets)), "both are Ready and at rest", timeout=60.0)

    assert place.there(old)["metadata"]["generation"] > 1
    assert place.there(old)["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":v1")


def test_a_set_deleted_while_the_operator_is_down_hangs_until_it_is_back(
    place: Place, operator: OperatorProcess
) -> None:
    config = config_map(place.name, "config")
    name = place.make("a", config)
    operator.kill()

    place.sets.delete(name)
    hanging = place.sets.get(name)
    assert hanging is not None
    assert "deletionTimestamp" in hanging["metadata"]
    assert place.there(config)

    operator.start()
    place.sets.until_gone(name)
    assert place.live(config) is None


def test_a_pass_that_was_killed_is_made_again(place: Place, operator: OperatorProcess) -> None:
    configs = [config_map(place.name, f"config-{number}") for number in range(8)]
    operator.restart(pace=0.3)
    name = place.set_name("a")
    place.sets.create(name, configs)
    wait(lambda: place.live(configs[1]) is not None, "the pass has begun")
    operator.kill()
    assert place.live(configs[-1]) is None

    operator.restart()
    place.sets.until_ready(name)
    assert place.there(configs[-1])


def test_stateful_sets_survive_an_orphaning_deletion_and_the_rest_does_not(place: Place) -> None:
    database, workload = stateful_set(place.name, "db"), deployment(place.name, "web")
    name = place.make("a", workload, database)
    uid = place.uid(database)

    place.sets.delete(name, policy="Orphan")
    place.sets.until_gone(name, timeout=GARBAGE_COLLECTION)

    wait(lambda: place.live(workload) is None, "the Deployment is gone")
    wait(lambda: not place.owners(database), "nobody owns the StatefulSet")
    assert place.uid(database) == uid


def test_an_object_that_another_owner_is_deleting_counts_as_installed(place: Place) -> None:
    config = config_map(place.name, "config", finalizers=["tests.example/hold"])
    old = place.make("a", config)
    place.cluster.kubectl("delete", "configmap", "config", "-n", place.name, "--wait=false")
    assert "deletionTimestamp" in place.there(config)["metadata"]

    new = place.make("b", config)
    place.patch_config_map(config, {"metadata": {"finalizers": None}})

    wait(lambda: place.live(config) is None, "it vanished")
    assert place.sets.ready(old)
    place.sets.until_ready(new)  # it was all the time, unless a pass was due anyway and made them again


def test_a_deployment_with_another_selector_is_deleted_and_made_anew(place: Place) -> None:
    before, after = deployment(place.name, "web"), deployment(place.name, "web")
    name = place.make("a", before)
    uid = place.uid(before)
    labels = {"app": "web", "version": "v2"}
    after["spec"]["selector"]["matchLabels"] = after["spec"]["template"]["metadata"]["labels"] = labels

    place.sets.edit(name, [after])

    wait(lambda: place.uid(after) not in (uid, None), "it was made anew")
    place.sets.until_ready(name)


def test_a_deployment_whose_pods_are_refused_is_deleted_over_and_over(place: Place) -> None:
    workload = deployment(place.name, "web")
    workload["spec"]["template"]["spec"]["serviceAccountName"] = "missing"
    place.sets.create(place.set_name("a"), [workload])
    seen = set()

    def three() -> bool:
        seen.add(place.uid(workload))
        return len(seen - {None}) >= 3

    wait(three, "three Deployments after one another")


def test_a_set_is_ready_while_a_rollout_hangs(place: Place) -> None:
    name = place.make("a", deployment(place.name, "web", "v1"))
    hanging = deployment(place.name, "web", "v2", pods=NEVER_READY)

    place.sets.edit(name, [hanging])
    wait(lambda: (place.there(hanging)["status"].get("unavailableReplicas") or 0) > 0, "the rollout hangs")

    place.sets.until_ready(name)  # a conflict of the two workers may come first
    assert place.there(hanging)["status"]["unavailableReplicas"] == 1


def test_an_unfinished_job_leaves_the_last_condition_unknown(place: Place) -> None:
    work = job(place.name, "migrate")
    work["spec"]["template"]["metadata"] = {"annotations": {"pods.test/complete-after": "2s"}}
    name = place.set_name("a")
    place.sets.create(name, [work])

    wait(lambda: place.sets.condition(name, "ControllersReady").get("status") == "True", "the controllers are ready")
    assert place.sets.condition(name, "AllDeploymentsReady")["status"] == "Unknown"
    place.sets.until_ready(name)


def test_definitions_and_namespaces_get_the_owners_of_the_set_and_webhooks_none(place: Place) -> None:
    component = {"apiVersion": API_VERSION, "kind": PIPELINE, "metadata": {"name": place.name}}
    made = place.api.request("POST", PIPELINES_PATH, component)
    assert made.status == 201, made.body
    name = place.set_name("a")
    kind = definition(f"{place.name}.example.org", "Widget")
    webhooks = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": place.name},
    }
    manifests = [webhooks, namespace_of(place.name), kind]
    place.sets.create(name, manifests, owners=[controller_reference(made.body, PIPELINE)])
    place.sets.until_ready(name)

    assert place.owners(kind) == [place.name]
    assert place.owners(namespace_of(place.name)) == [place.name]
    assert place.owners(webhooks) == []
    place.sets.delete(name)
    place.sets.until_gone(name)
    assert place.live(webhooks) is None
    assert place.there(kind)


def test_both_workers_can_be_at_one_set(place: Place, operator: OperatorProcess) -> None:
    """Its own events and those of its Deployment are two keys."""
    operator.restart(pace=0.3)
    name = place.set_name("a")
    configs = [config_map(place.name, f"config-{number}") for number in range(4)]
    place.sets.create(name, [*configs, deployment(place.name, "web")])
    place.sets.until_ready(name)
    both = (f"pass over {name}", f"pass over {place.name}/{name}")

    place.sets.edit(name, [config_map(place.name, f"config-{number}", {"key": "new"}) for number in range(4)])
    place.patch(f"/apis/apps/v1/namespaces/{place.name}/deployments/web", {"metadata": {"labels": {"a": "b"}}})

    def together() -> bool:
        at_work: set[str] = set()
        for line in operator.log.read_text().splitlines():
            for key in both:
                if line.endswith(f": {key}"):
                    at_work.add(key)
                elif line.endswith(f": {key.replace('pass over', 'finished')}"):
                    at_work.discard(key)
            if len(at_work) == len(both):
                return True
        return False

    wait(together, "two passes at once")


def test_a_third_set_with_the_labels_of_the_main_ones_takes_all_three_along(place: Place) -> None:
    labels = {CREATED_BY: PIPELINE, TYPE: "main", RELEASE_VERSION: "1.0.0"}
    config, workload = config_map(place.name, "config"), deployment(place.name, "web")
    with LifecycleProcess(place.cluster, "1.0.0", [config, workload]) as lifecycle:
        component = {"apiVersion": API_VERSION, "kind": PIPELINE, "metadata": {"name": place.name}, "spec": {}}
        assert place.api.request("POST", PIPELINES_PATH, component).status == 201
        wait(lambda: place.uid(workload) is not None, "the component is installed")
        uid = place.uid(config)

        place.sets.create(place.set_name("third-static"), [], labels=labels)
        place.patch(f"{PIPELINES_PATH}/{place.name}", {"metadata": {"annotations": {"touched": "yes"}}})

        wait(lambda: place.uid(config) != uid, "the ConfigMap was deleted with the sets")
        wait(lambda: place.sets.get(place.set_name("third-static")) is None, "the third set is gone too")
        assert lifecycle.running


def test_workloads_stay_with_the_old_set_and_go_with_it(place: Place) -> None:
    """Stripped first, so that it is garbage collection alone that takes them."""
    config, workloads = (
        config_map(place.name, "config"),
        (deployment(place.name, "web"), stateful_set(place.name, "db")),
    )
    old = place.make("a", config, *workloads)
    place.sets.edit(old, [])
    new = place.make("b", config, *workloads)
    assert place.owners(config) == [new]
    assert [place.owners(workload) for workload in workloads] == [[old], [old]]
    uids = [place.uid(workload) for workload in workloads]

    place.sets.delete(old)
    place.sets.until_gone(old)

    for workload, uid in zip(workloads, uids, strict=True):
        lost = f"the {workload['kind']} is lost"
        wait(lambda workload=workload, uid=uid: place.uid(workload) != uid, lost, timeout=GARBAGE_COLLECTION)
    assert place.there(config)
    place.sets.until_ready(new)  # it was all the time, unless a pass was due anyway and made them again
