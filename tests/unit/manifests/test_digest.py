"""Digests: equal for equal input however it is written down, different for anything that asks for something else."""

from __future__ import annotations

import hashlib
import json

import pytest

from hook.manifests.digest import canonical, digest_manifests, digest_object
from tests.unit.manifests.inputs import config_map, loaded

YAML = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: front
  labels: {tier: web}
data:
  text: |
    ü
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
"""
JSON = (
    '{"kind": "Namespace", "metadata": {"name": "shop"}, "apiVersion": "v1"}'
    '{"data": {"text": "\\u00fc\\n"}, "metadata": {"labels": {"tier": "web"}, "name": "front"}, '
    '"kind": "ConfigMap", "apiVersion": "v1"}'
)


def digest(text: str, namespace: str = "shop", file: str = "a.yaml") -> str:
    return digest_manifests(loaded(text, file).items, namespace)


def test_canonical_form_is_compact_sorted_utf8() -> None:
    assert canonical({"b": [1, None, True], "a": "ü"}) == '{"a":"ü","b":[1,null,true]}'.encode()


def test_the_digest_does_not_depend_on_form_order_or_file() -> None:
    assert digest(YAML) == digest(JSON, file="b.json")


def test_the_digest_does_not_depend_on_what_others_write() -> None:
    marked = json.loads(json.dumps(config_map()))
    marked["metadata"] |= {"uid": "u", "creationTimestamp": None, "annotations": {"helm.sh/hook": "pre-install"}}
    marked["status"] = {}
    assert digest(json.dumps(marked)) == digest(json.dumps(config_map()))


@pytest.mark.parametrize(
    "other",
    [
        YAML.replace("web", "api"),
        YAML.replace("ü", "u"),
        YAML.replace("kind: Namespace", "kind: ConfigMap"),
        YAML.split("---")[0],
        YAML.replace("  name: front", "  name: front\n  namespace: shop"),
    ],
)
def test_the_digest_depends_on_every_field(other: str) -> None:
    assert digest(other) != digest(YAML)


def test_the_digest_depends_on_the_target_namespace() -> None:
    assert digest(YAML, "shop") != digest(YAML, "bank")


def test_the_digest_is_fixed() -> None:
    """A change here gives every installed generation another name: it needs another format version."""
    lines = (
        "1",
        "shop",
        '{"apiVersion":"v1","data":{"text":"ü\\n"},"kind":"ConfigMap","metadata":{"labels":{"tier":"web"},"name":"front"}}',
        '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}',
        "",
    )
    assert digest(YAML) == hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_digest_of_an_object_ignores_the_order_of_keys_only() -> None:
    assert digest_object({"a": [1, 2], "b": 3}) == digest_object({"b": 3, "a": [1, 2]})
    assert digest_object({"a": [1, 2]}) != digest_object({"a": [2, 1]})
