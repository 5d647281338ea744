"""Bad objects: every fault is named with file, line, object and path, before anything is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.manifests.inputs import config_map, loaded, refusal


def refused(obj: Any) -> str:
    return refusal(json.dumps(obj))


def test_a_fault_names_file_line_object_and_path() -> None:
    text = """\
    # a comment
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: front
      namespace: shop
      labels:
        tier: 1
    """
    assert refusal(text) == (
        "deploy.yaml:3: ConfigMap shop/front: metadata.labels['tier']: is a number, not text; quote it"
    )


def test_all_faults_are_told_at_once() -> None:
    message = refusal("apiVersion: v1\nkind: ConfigMap\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: A_B}\n")
    assert message.splitlines() == [
        "deploy.yaml:1: ConfigMap: metadata: is missing",
        "  deploy.yaml:4: Secret A_B: metadata.name 'A_B': must be a DNS name: at most 253 of a-z, 0-9, - and ., "
        "with a letter or digit at the ends of each part",
    ]


def test_very_many_faults_are_counted() -> None:
    message = refusal("---\n".join("kind: X\n" for _ in range(50)))
    assert "... and 80 more" in message


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([{"kind": "ConfigMap"}], "is a list, not an object"),
        ("text", "is text, not an object"),
        (12, "is a number, not an object"),
        ({}, "apiVersion: is missing"),
        ({"kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion: is missing"),
        ({"apiVersion": "v1", "metadata": {"name": "x"}}, "kind: is missing"),
        ({"apiVersion": 1, "kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion: is a number, not text"),
        ({"apiVersion": "v1", "kind": ["X"], "metadata": {"name": "x"}}, "kind: is a list, not text"),
        ({"apiVersion": "v1", "kind": "", "metadata": {"name": "x"}}, "kind ''"),
        ({"apiVersion": "", "kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion ''"),
        ({"apiVersion": "a/b/c", "kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion 'a/b/c'"),
        ({"apiVersion": "/v1", "kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion '/v1'"),
        ({"apiVersion": "apps/", "kind": "ConfigMap", "metadata": {"name": "x"}}, "apiVersion 'apps/'"),
        ({"apiVersion": "v1", "kind": "../x", "metadata": {"name": "x"}}, "kind '../x'"),
        ({"apiVersion": "v1", "kind": "ConfigMap"}, "metadata: is missing"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": None}, "metadata: is missing"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": []}, "metadata: is a list"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, "metadata.name: is missing"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": None}}, "metadata.name: is missing"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ""}}, "metadata.name '': is empty"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": 8080}}, "metadata.name: is a number"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": True}}, "metadata.name: is true or false"),
    ],
)
def test_what_has_no_identity_is_refused(value: Any, words: str) -> None:
    assert words in refused(value)


@pytest.mark.parametrize("metadata", [{"generateName": "x-"}, {"name": "x", "generateName": "x-"}])
def test_generate_name_is_refused(metadata: dict[str, str]) -> None:
    obj = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}
    assert "metadata.generateName: each run would make another object" in refused(obj)


@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [
        ("v1", "ConfigMap", "Front"),
        ("v1", "ConfigMap", "a_b"),
        ("v1", "ConfigMap", "-a"),
        ("v1", "ConfigMap", "a..b"),
        ("v1", "ConfigMap", "a/b"),
        ("v1", "ConfigMap", "a" * 254),
        ("v1", "ConfigMap", "a\n"),
        ("v1", "Namespace", "a.b"),
        ("v1", "Namespace", "a" * 64),
        ("v1", "Service", "a.b"),
        ("apps/v1", "Deployment", "ä"),
        ("rbac.authorization.k8s.io/v1", "Role", "a/b"),
        ("rbac.authorization.k8s.io/v1", "Role", ".."),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "50%"),
        ("example.org/v1", "Gear", "a/b"),
    ],
)
def test_names_that_the_kind_cannot_have_are_refused(api_version: str, kind: str, name: str) -> None:
    assert "metadata.name" in refused({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})


@pytest.mark.parametrize(
    ("api_version", "kind", "name"),
    [
        ("v1", "ConfigMap", "a.b-c.9"),
        ("v1", "ConfigMap", "a" * 253),
        ("v1", "Namespace", "a" * 63),
        ("v1", "Service", "9a"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "system:Node_reader"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding", "A:b.C"),
        ("apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io"),
        ("storage.k8s.io/v1", "CSIDriver", "Driver.Example.org"),
        ("networking.k8s.io/v1", "IPAddress", "2001:db8::1"),
        ("user.example.org/v1", "Group", "Ops:Team"),
    ],
)
def test_names_that_the_kind_can_have_are_taken(api_version: str, kind: str, name: str) -> None:
    (item,) = loaded(json.dumps({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})).items
    assert item.identity.name == name


@pytest.mark.parametrize("namespace", ["Shop", "a.b", "a" * 64, 12, ["x"], "a\n"])
def test_a_namespace_that_is_none_is_refused(namespace: Any) -> None:
    assert "metadata.namespace" in refused(config_map(namespace=namespace))


@pytest.mark.parametrize(
    "labels",
    [
        {"a": 1},
        {"a": True},
        {"a": ["b"]},
        {"a": "b c"},
        {"a": "-b"},
        {"a": "x" * 64},
        {"a": "b\n"},
        {"a b": "c"},
        {"": "c"},
        {"/a": "c"},
        {"Ex.org/a": "c"},
        {"a/b/c": "d"},
        {"x" * 64: "c"},
        ["a"],
        "a",
    ],
)
def test_labels_that_are_none_are_refused(labels: Any) -> None:
    assert "metadata.labels" in refused(config_map(labels=labels))


@pytest.mark.parametrize("labels", [{}, {"a": ""}, {"a": None}, {"ex.org/A_b.c": "D_e.f"}, {"a": "x" * 63}, None])
def test_labels_that_the_server_takes_are_taken(labels: Any) -> None:
    assert loaded(json.dumps(config_map(labels=labels))).items


@pytest.mark.parametrize("annotations", [{"a": 1}, {"a": {}}, {"a": False}, {"a b": "c"}, {"x" * 64: "c"}, [1]])
def test_annotations_that_are_none_are_refused(annotations: Any) -> None:
    assert "metadata.annotations" in refused(config_map(annotations=annotations))


def test_annotations_may_hold_any_text_and_upper_case_prefixes() -> None:
    assert loaded(json.dumps(config_map(annotations={"Ex.org/A": "any text: {{ x }}\n"}))).items


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("prune", "disable"),
        ("prune", "true"),
        ("recreate", "yes"),
        ("share", ""),
        ("timeout", "5 minutes"),
        ("wait-for", "endpoint"),
        ("wait-for", ","),
        ("ready-when", " "),
        ("recrate", "allowed"),
    ],
)
def test_a_misspelt_annotation_of_ours_is_refused(key: str, value: str) -> None:
    """A protection that is misspelt would protect nothing, unnoticed."""
    assert f"metadata.annotations['installersets.io/{key}']" in refused(
        config_map(annotations={f"installersets.io/{key}": value})
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("prune", "disabled"),
        ("recreate", "allowed"),
        ("share", "allowed"),
        ("timeout", "1h30m"),
        ("wait-for", "endpoints, load-balancer"),
        ("ready-when", "status.phase == 'Up'"),
        ("crd-version", "1"),
    ],
)
def test_annotations_of_ours_are_taken_and_kept(key: str, value: str) -> None:
    written = {f"installersets.io/{key}": value}
    (item,) = loaded(json.dumps(config_map(annotations=written))).items
    assert item.obj["metadata"]["annotations"] == written


@pytest.mark.parametrize("finalizers", ["x", [1], ["a.io/x", "a.io/x"], {"a": 1}])
def test_finalizers_that_are_none_are_refused(finalizers: Any) -> None:
    assert "metadata.finalizers" in refused(config_map(finalizers=finalizers))


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"data": {"a": 1}}, "data['a']: must be text"),
        ({"data": {"a": {"b": "c"}}}, "data['a']: must be text"),
        ({"data": {"a/b": "c"}}, "data['a/b']: must be at most 253"),
        ({"data": {"..": "c"}}, "data['..']"),
        ({"data": ["a"]}, "data: must be a mapping"),
        ({"binaryData": {"a": "no base64!"}}, "binaryData['a']: is no base64"),
        ({"binaryData": {"a": "YQ=="}, "data": {"a": "b"}}, "data['a']: is in binaryData too"),
    ],
)
def test_config_map_data_that_is_none_is_refused(payload: dict[str, Any], words: str) -> None:
    assert words in refused(config_map() | payload)


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"data": {"password": "hunter2!"}}, "data['password']: is no base64"),
        ({"data": {"password": "hunter2"}}, "data['password']: is no base64"),
        ({"data": {"password": 22334455}}, "data['password']: must be base64 text"),
        ({"stringData": {"password": 22334455}}, "stringData['password']: must be text"),
        ({"stringData": {"pass word": "hunter2"}}, "stringData['pass word']: must be at most"),
    ],
)
def test_secret_data_that_is_none_is_refused_without_showing_it(payload: dict[str, Any], words: str) -> None:
    message = refused({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}} | payload)
    assert words in message
    assert "hunter2" not in message
    assert "22334455" not in message


def test_base64_may_be_wrapped_over_lines() -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\ndata:\n  a: |\n    YWJj\n    ZGVm\n"
    assert loaded(text).items


def test_data_of_other_kinds_is_not_looked_at() -> None:
    assert loaded(
        json.dumps({"apiVersion": "example.org/v1", "kind": "Gear", "metadata": {"name": "x"}, "data": [1]})
    ).items


def test_a_quoted_template_in_a_name_is_called_one() -> None:
    assert "is it a template?" in refused(config_map("{{ .Release.Name }}"))
    assert "is it a template?" in refused(config_map("x", namespace="${NAMESPACE}"))
    assert "is it a template?" in refused(config_map(labels={"app": "{{ .Chart.Name }}"}))


@pytest.mark.parametrize("kind", ["Kustomization", "Component"])
def test_an_input_of_kustomize_under_another_name_is_refused(kind: str) -> None:
    obj = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": kind, "metadata": {"name": "x"}}
    assert "render it first" in refused(obj)


def test_the_record_of_a_handoff_is_no_input() -> None:
    obj = {"apiVersion": "installersets.io/v1alpha1", "kind": "InstallerSet", "metadata": {"name": "x"}}
    assert "take it out of the input" in refused(obj)
