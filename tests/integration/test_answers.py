"""What the real API server answers, and the cause that each answer is taken for."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hook.cluster.answers import ApiError, Cause
from hook.cluster.connection import Connection
from hook.cluster.discovery import Discovery
from hook.cluster.objects import Objects
from hook.cluster.resource_type import LEASE, NAMESPACE, ResourceType
from tests.cluster.cluster import Cluster

CONFIG_MAP = ResourceType("", "v1", "ConfigMap", "configmaps", True)
SECRET = ResourceType("", "v1", "Secret", "secrets", True)
SERVICE = ResourceType("", "v1", "Service", "services", True)
POD = ResourceType("", "v1", "Pod", "pods", True)
JOB = ResourceType("batch", "v1", "Job", "jobs", True)
RBAC = "rbac.authorization.k8s.io"
ROLE = ResourceType(RBAC, "v1", "Role", "roles", True)
ROLE_BINDING = ResourceType(RBAC, "v1", "RoleBinding", "rolebindings", True)
CRD = ResourceType("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", False)
VALUE = "aHVudGVyMmh1bnRlcjI="


@pytest.fixture
def objects(shared_cluster: Cluster) -> Iterator[Objects]:
    """The administrator's."""
    connection = Connection.open(str(shared_cluster.kubeconfig))
    connection.retry.budget = 2.0
    yield Objects(connection)
    connection.close()


@pytest.fixture
def restricted(shared_cluster: Cluster, namespace: str) -> Iterator[Objects]:
    """Those of a ServiceAccount that may write Roles, bindings and ConfigMaps in its namespace, and nothing else."""
    verbs = ["get", "create", "patch"]  # neither `escalate` nor `bind`
    rules = [{"apiGroups": ["", RBAC], "resources": ["configmaps", "roles", "rolebindings"], "verbs": verbs}]
    subject = {"kind": "ServiceAccount", "name": "worker", "namespace": namespace}
    shared_cluster.load(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "worker", "namespace": namespace}},
            role(namespace, "worker", rules),
            binding(namespace, "worker", "worker", [subject]),
        ]
    )
    connection = Connection.open(str(shared_cluster.service_account_kubeconfig(namespace, "worker")))
    connection.retry.budget = 2.0
    found = Objects(connection)
    while not found.review_access("", "configmaps", "create", namespace).allowed:
        time.sleep(0.05)
    yield found
    connection.close()


def config_map(namespace: str, name: str = "a", **more: Any) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name, **more.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **more}


def role(namespace: str, name: str, rules: list[dict[str, Any]]) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": metadata, "rules": rules}


def binding(namespace: str, name: str, role: str, subjects: list[dict[str, Any]], kind: str = "Role") -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    reference = {"apiGroup": RBAC, "kind": kind, "name": role}
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": metadata,
        "roleRef": reference,
        "subjects": subjects,
    }


def service(namespace: str, name: str, *ports: dict[str, Any], **spec: Any) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {**spec, "ports": list(ports)}}


def refused(request: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as raised:
        request()
    return raised.value


def refused_within(request: Callable[[], object], cause: Cause, seconds: float = 10.0) -> ApiError:
    """As `refused`, once what was just configured has arrived everywhere in the server."""
    until = time.monotonic() + seconds
    other: ApiError | None = None
    while time.monotonic() < until:
        try:
            request()
        except ApiError as error:
            if error.cause is cause:
                return error
            other = error
        time.sleep(0.05)
    pytest.fail(f"never {cause}: {other or 'always served'}")


# Reads


def test_an_absent_object(objects: Objects, namespace: str) -> None:
    assert refused(lambda: objects.get(CONFIG_MAP, namespace, "no")).cause is Cause.NOT_FOUND


def test_an_object_of_an_absent_namespace_is_absent(objects: Objects) -> None:
    assert refused(lambda: objects.get(CONFIG_MAP, "nowhere", "no")).cause is Cause.NOT_FOUND


@pytest.mark.parametrize(
    "rt",
    [
        ResourceType("example.org", "v1", "Nothing", "nothings", True),
        ResourceType("apps", "v9", "Deployment", "deployments", True),
        ResourceType("apps", "v1", "Nothing", "nothings", True),
        ResourceType("", "v1", "Nothing", "nothings", True),
    ],
    ids=["group", "version", "kind", "core kind"],
)
def test_what_is_not_served_is_no_absent_object(objects: Objects, rt: ResourceType) -> None:
    error = refused(lambda: objects.get(rt, "default", "a"))

    assert (error.cause, error.exit_code) == (Cause.PATH_NOT_FOUND, 3)


def test_metadata_alone_leaves_the_server(objects: Objects, namespace: str) -> None:
    secret = {**config_map(namespace), "kind": "Secret", "data": {"p": VALUE}}
    objects.apply(SECRET, secret, "m")

    assert set(objects.get(SECRET, namespace, "a", metadata_only=True)) == {"apiVersion", "kind", "metadata"}
    listed = objects.list(SECRET, namespace, metadata_only=True).items[0]
    assert set(listed) == {"apiVersion", "kind", "metadata"}
    assert listed["metadata"]["managedFields"][0]["manager"] == "m"


def test_a_long_list_is_whole(objects: Objects, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hook.cluster.reads.PAGE", 3)
    names = {f"c-{number}" for number in range(10)}
    for name in names:
        objects.apply(CONFIG_MAP, config_map(namespace, name), "m")
    listing = objects.list(CONFIG_MAP, namespace)

    assert names <= {item["metadata"]["name"] for item in listing.items}
    assert int(listing.resource_version) > 0


# Writes: the namespace, the name, the uid and the version


def test_a_missing_namespace(objects: Objects) -> None:
    error = refused(lambda: objects.apply(CONFIG_MAP, config_map("nowhere"), "m"))

    assert (error.cause, error.exit_code) == (Cause.NAMESPACE_MISSING, 3)


def test_apply_tells_created_from_changed(objects: Objects, namespace: str) -> None:
    assert objects.apply(CONFIG_MAP, config_map(namespace), "m").created
    assert not objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "v"}), "m").created


def test_a_dry_run_writes_nothing(objects: Objects, namespace: str) -> None:
    assert objects.apply(CONFIG_MAP, config_map(namespace), "m", dry_run=True).obj["kind"] == "ConfigMap"
    assert refused(lambda: objects.get(CONFIG_MAP, namespace, "a")).cause is Cause.NOT_FOUND


def test_a_name_that_is_taken(objects: Objects, namespace: str) -> None:
    objects.create(CONFIG_MAP, config_map(namespace))

    assert refused(lambda: objects.create(CONFIG_MAP, config_map(namespace))).cause is Cause.ALREADY_EXISTS


def test_an_apply_with_another_uid_is_no_immutable_change(objects: Objects, namespace: str) -> None:
    objects.create(CONFIG_MAP, config_map(namespace))
    other = config_map(namespace, metadata={"uid": str(uuid.uuid4())})

    assert refused(lambda: objects.apply(CONFIG_MAP, other, "m")).cause is Cause.UID_MISMATCH


def test_an_apply_with_a_uid_never_resurrects(objects: Objects, namespace: str) -> None:
    gone = config_map(namespace, metadata={"uid": str(uuid.uuid4())})

    assert refused(lambda: objects.apply(CONFIG_MAP, gone, "m")).cause is Cause.UID_MISMATCH
    assert refused(lambda: objects.get(CONFIG_MAP, namespace, "a")).cause is Cause.NOT_FOUND


def test_a_stale_update_and_a_stale_patch(objects: Objects, namespace: str) -> None:
    first = objects.create(CONFIG_MAP, config_map(namespace))
    objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "v"}), "m")
    version = first["metadata"]["resourceVersion"]
    patch = [{"op": "replace", "path": "/metadata/resourceVersion", "value": version}]

    assert refused(lambda: objects.update(CONFIG_MAP, first)).cause is Cause.STALE
    assert refused(lambda: objects.json_patch(CONFIG_MAP, namespace, "a", patch, "m")).cause is Cause.STALE


def test_a_patch_with_the_current_version_passes(objects: Objects, namespace: str) -> None:
    version = objects.create(CONFIG_MAP, config_map(namespace))["metadata"]["resourceVersion"]
    patch = [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": version},
        {"op": "add", "path": "/data", "value": {"k": "v"}},
    ]

    assert objects.json_patch(CONFIG_MAP, namespace, "a", patch, "m")["data"] == {"k": "v"}


def test_a_put_to_a_deleted_lease_does_not_create_it(objects: Objects, namespace: str) -> None:
    lease = {"apiVersion": LEASE.api_version, "kind": "Lease", "metadata": {"namespace": namespace, "name": "l"}}
    live = objects.create(LEASE, lease)
    metadata = live["metadata"]
    objects.delete(
        LEASE,
        namespace,
        "l",
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        propagation="Background",
    )

    assert refused(lambda: objects.update(LEASE, live)).cause is Cause.UID_MISMATCH
    assert refused(lambda: objects.get(LEASE, namespace, "l")).cause is Cause.NOT_FOUND


def test_deletions_carry_uid_and_version(objects: Objects, namespace: str) -> None:
    read = objects.create(CONFIG_MAP, config_map(namespace))["metadata"]
    now = objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "v"}), "m").obj["metadata"]

    def delete(uid: str, version: str) -> object:
        return objects.delete(CONFIG_MAP, namespace, "a", uid=uid, resource_version=version, propagation="Background")

    assert refused(lambda: delete(read["uid"], read["resourceVersion"])).cause is Cause.STALE
    assert refused(lambda: delete(str(uuid.uuid4()), now["resourceVersion"])).cause is Cause.UID_MISMATCH
    assert delete(now["uid"], now["resourceVersion"]) is None
    assert refused(lambda: delete(now["uid"], now["resourceVersion"])).cause is Cause.NOT_FOUND


def test_a_deletion_in_the_foreground_returns_what_is_terminating(objects: Objects, namespace: str) -> None:
    created = objects.create(CONFIG_MAP, config_map(namespace, metadata={"finalizers": ["example.org/held"]}))[
        "metadata"
    ]
    left = objects.delete(
        CONFIG_MAP,
        namespace,
        "a",
        uid=created["uid"],
        resource_version=created["resourceVersion"],
        propagation="Foreground",
    )

    assert left is not None
    assert left["metadata"]["deletionTimestamp"]
    objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "v"}), "m")  # 200, and yet it will vanish
    objects.json_patch(CONFIG_MAP, namespace, "a", [{"op": "remove", "path": "/metadata/finalizers"}], "m")


# Writes: what is refused


def test_conflicting_fields_are_named(objects: Objects, namespace: str) -> None:
    objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "1"}), "first")
    error = refused(lambda: objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "2"}), "second", force=False))

    assert error.cause is Cause.FIELD_CONFLICT
    assert [(cause.field, "first" in cause.message) for cause in error.field_causes] == [(".data.k", True)]


def test_an_unknown_field_does_not_fit_the_schema(objects: Objects, namespace: str) -> None:
    error = refused(lambda: objects.apply(CONFIG_MAP, config_map(namespace, dat={"k": "v"}), "m"))

    assert (error.cause, error.status, error.retries) == (Cause.TYPED_PATCH, 500, 0)
    assert ".dat: field not declared in schema" in error.text


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        ({"data": {"p": 17}}, Cause.TYPED_PATCH),
        ({"data": {"p": VALUE + "!"}}, Cause.TYPED_PATCH),
        ({"data": {"tls.crt": VALUE}, "type": "kubernetes.io/tls"}, Cause.INVALID),
        ({"data": {"p": VALUE}, "type": VALUE * 300}, Cause.INVALID),
    ],
    ids=["no string", "no base64", "key missing", "odd type"],
)
def test_a_refused_secret_shows_no_value(objects: Objects, namespace: str, more: dict[str, Any], cause: Cause) -> None:
    objects.apply(SECRET, {**config_map(namespace), "kind": "Secret", "data": {"p": VALUE}}, "m")
    error = refused(lambda: objects.apply(SECRET, {**config_map(namespace), "kind": "Secret", **more}, "m"))

    assert error.cause is cause
    assert VALUE[:8] not in repr(error) + str(error)
    assert base64.b64decode(VALUE).decode()[:6] not in str(error)


def test_an_immutable_field_is_named_without_the_template(objects: Objects, namespace: str) -> None:
    def job(image: str) -> dict[str, Any]:
        container = {"name": "c", "image": image, "env": [{"name": "P", "value": "hunter2"}]}
        template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
        metadata = {"namespace": namespace, "name": "j"}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template}}

    objects.apply(JOB, job("a"), "m")
    error = refused(lambda: objects.apply(JOB, job("b"), "m", dry_run=True))

    assert error.cause is Cause.INVALID
    assert [(cause.field, cause.reason) for cause in error.field_causes] == [("spec.template", "FieldValueInvalid")]
    assert error.field_causes[0].message == "Invalid value: ...: field is immutable"
    assert "hunter2" not in str(error)


def test_a_node_port_that_is_out_of_range(objects: Objects, namespace: str) -> None:
    port = {"port": 80, "nodePort": 1}
    error = refused(lambda: objects.apply(SERVICE, service(namespace, "s", port, type="NodePort"), "m"))

    assert (error.cause, error.status) == (Cause.INVALID, 422)


def test_a_node_port_that_is_there_twice_is_500_and_yet_invalid(objects: Objects, namespace: str) -> None:
    port = {"name": "a", "port": 80}
    made = objects.apply(SERVICE, service(namespace, "s", port, type="NodePort"), "m").obj
    taken = made["spec"]["ports"][0]["nodePort"]
    both = [{**port, "nodePort": taken}, {"name": "b", "port": 81, "nodePort": taken}]
    error = refused(lambda: objects.apply(SERVICE, service(namespace, "s", *both, type="NodePort"), "m"))

    assert (error.cause, error.status, error.retries) == (Cause.INVALID, 500, 0)


@pytest.mark.parametrize(("size", "status"), [(2_000_000, 422), (4_000_000, 413)])
def test_too_large_a_config_map(objects: Objects, namespace: str, size: int, status: int) -> None:
    error = refused(lambda: objects.apply(CONFIG_MAP, config_map(namespace, data={"k": "x" * size}), "m"))

    assert error.cause in (Cause.INVALID, Cause.TOO_LARGE)
    assert (error.status, error.retries, error.exit_code) == (status, 0, 3)


# Rights and admission


@pytest.mark.parametrize("verb", ["get", "list", "apply"])
def test_missing_rights(restricted: Objects, namespace: str, verb: str) -> None:
    requests: dict[str, Callable[[], object]] = {
        "get": lambda: restricted.get(SECRET, namespace, "a"),
        "list": lambda: restricted.list(CONFIG_MAP),
        "apply": lambda: restricted.apply(CONFIG_MAP, config_map("default"), "m"),
    }
    error = refused(requests[verb])

    assert (error.cause, error.exit_code) == (Cause.FORBIDDEN, 5)


def test_escalation_is_about_rights(restricted: Objects, namespace: str) -> None:
    rules = [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]

    assert refused(lambda: restricted.apply(ROLE, role(namespace, "r", rules), "m")).cause is Cause.FORBIDDEN


def test_binding_more_than_one_has_is_about_rights(restricted: Objects, namespace: str) -> None:
    more = binding(namespace, "b", "cluster-admin", [], "ClusterRole")

    assert refused(lambda: restricted.apply(ROLE_BINDING, more, "m")).cause is Cause.FORBIDDEN


@pytest.mark.parametrize("name", ["no", "b"])
def test_a_binding_before_its_role(restricted: Objects, namespace: str, name: str) -> None:
    error = refused(lambda: restricted.apply(ROLE_BINDING, binding(namespace, "b", name, []), "m"))

    assert error.cause is Cause.MISSING_ROLE


def test_refused_credentials(shared_cluster: Cluster, restricted: Objects, namespace: str) -> None:
    class Forged:
        def __init__(self, connection: Connection) -> None:
            self.host, self.namespace = connection.host, connection.namespace
            self.pool = connection._transport.credentials.pool

        def authorization(self) -> str:
            return "Bearer forged"

        def reload(self) -> bool:
            return False

    objects = Objects(Connection(Forged(restricted.connection)))
    error = refused(lambda: objects.get(CONFIG_MAP, namespace, "a"))

    assert (error.cause, error.exit_code) == (Cause.UNAUTHORIZED, 5)


def test_a_quota(shared_cluster: Cluster, objects: Objects, namespace: str) -> None:
    quota = {"spec": {"hard": {"count/services": "0"}}, "metadata": {"namespace": namespace, "name": "q"}}
    shared_cluster.load([{"apiVersion": "v1", "kind": "ResourceQuota", **quota}])
    error = refused_within(
        lambda: objects.apply(SERVICE, service(namespace, "s", {"port": 80}), "m", dry_run=True), Cause.QUOTA
    )

    assert error.exit_code == 3


def test_pod_security(shared_cluster: Cluster, objects: Objects, namespace: str) -> None:
    shared_cluster.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    pod = {**config_map(namespace), "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "i"}]}}
    error = refused_within(lambda: objects.apply(POD, pod, "m", dry_run=True), Cause.DENIED)

    assert (error.status, error.exit_code) == (403, 3)


def test_an_admission_policy_refuses_with_422(shared_cluster: Cluster, objects: Objects, namespace: str) -> None:
    api = "admissionregistration.k8s.io/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}
    policy = {
        "matchConstraints": {
            "resourceRules": [rule],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        },
        "validations": [{"expression": "object.metadata.name != 'a'", "message": "not a"}],
    }
    bound = {"policyName": namespace, "validationActions": ["Deny"]}
    names = {"metadata": {"name": namespace}}
    shared_cluster.load(
        [
            {"apiVersion": api, "kind": "ValidatingAdmissionPolicy", **names, "spec": policy},
            {"apiVersion": api, "kind": "ValidatingAdmissionPolicyBinding", **names, "spec": bound},
        ]
    )
    try:
        error = refused_within(
            lambda: objects.apply(CONFIG_MAP, config_map(namespace), "m", dry_run=True), Cause.DENIED
        )
    finally:
        shared_cluster.kubectl("delete", "validatingadmissionpolicybinding,validatingadmissionpolicy", namespace)

    assert (error.status, error.exit_code) == (422, 3)


def test_a_webhook_that_does_not_answer(shared_cluster: Cluster, objects: Objects, namespace: str) -> None:
    webhook = {
        "name": "hook.example.org",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
    }
    shared_cluster.load(
        [
            {
                "apiVersion": "admissionregistration.k8s.io/v1",
                "kind": "ValidatingWebhookConfiguration",
                "metadata": {"name": namespace},
                "webhooks": [webhook],
            }
        ]
    )
    try:
        error = refused_within(
            lambda: objects.apply(CONFIG_MAP, config_map(namespace), "m", dry_run=True), Cause.WEBHOOK_UNREACHABLE
        )
    finally:
        shared_cluster.kubectl("delete", "validatingwebhookconfiguration", namespace)

    assert (error.status, error.retries, error.exit_code) == (500, 0, 1)


def test_a_terminating_namespace(objects: Objects, namespace: str) -> None:
    held = config_map(namespace, "held", metadata={"finalizers": ["example.org/held"]})
    objects.create(CONFIG_MAP, held)
    live = objects.get(NAMESPACE, None, namespace)["metadata"]
    objects.delete(
        NAMESPACE,
        None,
        namespace,
        uid=live["uid"],
        resource_version=live["resourceVersion"],
        propagation="Background",
    )
    try:
        error = refused_within(
            lambda: objects.apply(CONFIG_MAP, config_map(namespace), "m", dry_run=True), Cause.NAMESPACE_TERMINATING
        )
    finally:
        objects.json_patch(CONFIG_MAP, namespace, "held", [{"op": "remove", "path": "/metadata/finalizers"}], "m")

    assert error.status == 403


# Definitions


@pytest.fixture
def gear(shared_cluster: Cluster, namespace: str) -> Iterator[ResourceType]:
    """A definition of any objects, in a group of its own."""
    group = f"{namespace}.example.org"
    shared_cluster.load([definition(group)])
    yield ResourceType(group, "v1", "Gear", "gears", True)
    shared_cluster.kubectl("delete", "crd", f"gears.{group}", "--wait=false", "--ignore-not-found")


def definition(group: str, **spec: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    return {
        "apiVersion": CRD.api_version,
        "kind": CRD.kind,
        "metadata": {"name": f"gears.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "gears", "singular": "gear", "kind": "Gear", "listKind": "GearList"},
            "versions": [version],
            **spec,
        },
    }


def custom(gear: ResourceType, namespace: str, **more: Any) -> dict[str, Any]:
    return {**config_map(namespace, **more), "apiVersion": gear.api_version, "kind": "Gear"}


def test_too_large_for_the_store(objects: Objects, namespace: str, gear: ResourceType) -> None:
    error = refused(lambda: objects.create(gear, custom(gear, namespace, spec={"k": "x" * 2_500_000})))

    assert (error.cause, error.status, error.retries) == (Cause.TOO_LARGE, 500, 0)


def test_a_terminating_definition(objects: Objects, namespace: str, gear: ResourceType) -> None:
    objects.create(gear, custom(gear, namespace, metadata={"finalizers": ["example.org/held"]}))
    live = objects.get(CRD, None, f"gears.{gear.group}")["metadata"]
    objects.delete(
        CRD,
        None,
        live["name"],
        uid=live["uid"],
        resource_version=live["resourceVersion"],
        propagation="Background",
    )
    other = custom(gear, namespace)
    other["metadata"]["name"] = "b"
    try:
        refused_within(lambda: objects.create(gear, other), Cause.CRD_TERMINATING)
    finally:
        objects.json_patch(gear, namespace, "a", [{"op": "remove", "path": "/metadata/finalizers"}], "m")


def test_a_broken_conversion(objects: Objects, namespace: str, gear: ResourceType) -> None:
    objects.create(gear, custom(gear, namespace))
    schema = definition(gear.group)["spec"]["versions"][0]["schema"]
    versions = [
        {"name": "v1", "served": True, "storage": True, "schema": schema},
        {"name": "v2", "served": True, "storage": False, "schema": schema},
    ]
    webhook = {"clientConfig": {"url": "https://127.0.0.1:1/"}, "conversionReviewVersions": ["v1"]}
    conversion = {"strategy": "Webhook", "webhook": webhook}
    objects.apply(CRD, definition(gear.group, versions=versions, conversion=conversion), "m")
    newer = ResourceType(gear.group, "v2", "Gear", "gears", True)

    refused_within(lambda: objects.list(newer, namespace), Cause.WEBHOOK_UNREACHABLE)


def test_storage_that_initializes_is_waited_for(objects: Objects, namespace: str, gear: ResourceType) -> None:
    """After each change of a definition its objects are away for a moment, for reads too."""
    objects.create(gear, custom(gear, namespace))
    for number in range(5):
        changed = definition(gear.group)
        changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = f"change {number}"
        objects.apply(CRD, changed, "m")
        for _ in range(20):
            objects.get(gear, namespace, "a")

    assert set(objects.connection.retries) <= {"storage is initializing"}


# Discovery


def test_discovery_finds_what_is_served(objects: Objects, gear: ResourceType) -> None:
    discovery = Discovery.read(objects.connection)

    for rt in (CONFIG_MAP, JOB, ROLE, CRD, LEASE):
        found = discovery.find(rt.of_kind)
        assert found is not None
        assert (found.version, found.plural, found.namespaced) == (rt.version, rt.plural, rt.namespaced)
    assert discovery.served(gear.group, "v1", "Gear")
    assert objects.connection.requests["discover"] == 2


def test_discovery_tells_down_from_absent(shared_cluster: Cluster, objects: Objects, namespace: str) -> None:
    group = f"{namespace}.stats.example.org"
    spec = {
        "group": group,
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 10,
        "service": {"namespace": namespace, "name": "nothing"},
    }
    name = f"v1.{group}"
    shared_cluster.load(
        [{"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": name}, "spec": spec}]
    )
    try:
        until = time.monotonic() + 30.0
        while group not in (discovery := Discovery.read(objects.connection)).stale_groups:
            assert time.monotonic() < until
            time.sleep(0.1)
        down = ResourceType(group, "v1", "Sample", "samples", True)
        error = refused(lambda: objects.get(down, namespace, "a"))
    finally:
        shared_cluster.kubectl("delete", "apiservice", name)

    assert discovery.is_unknown(down.of_kind)
    assert discovery.knows_group(group)
    assert error.cause is Cause.UNAVAILABLE
