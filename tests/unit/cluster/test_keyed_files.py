"""Files out of a ConfigMap or a Secret."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from hook.cluster.keyed_files import read_keyed_files
from hook.cluster.objects import Objects
from hook.errors import InvalidInput
from hook.manifests.identity import Kind
from tests.unit.cluster.scripted import Reply, connect, serving, status


def read(reply: Reply, kind: str = "ConfigMap") -> dict[str, bytes]:
    with serving([reply]) as server:
        return read_keyed_files(Objects(connect(server)), Kind("", kind), "shop", "input")


def config_map(**content: Any) -> Reply:
    metadata = {"name": "input", "namespace": "shop", **content.pop("metadata", {})}
    return Reply(body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **content})


def test_keys_are_files_of_text_and_of_bytes() -> None:
    packed = base64.b64encode(b"\x1f\x8b\x00").decode()
    found = read(config_map(data={"a.yaml": "ä: 1\n"}, binaryData={"b.yaml.gz": packed}))
    assert found == {"a.yaml": "ä: 1\n".encode(), "b.yaml.gz": b"\x1f\x8b\x00"}


def test_the_values_of_a_secret_are_files_too() -> None:
    metadata = {"name": "input", "namespace": "shop"}
    data = {"a.yaml": base64.b64encode(b"a: 1").decode()}
    reply = Reply(body={"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data})
    assert read(reply, "Secret") == {"a.yaml": b"a: 1"}


def test_one_without_keys_holds_no_files() -> None:
    assert read(config_map()) == {}


def test_one_that_does_not_exist_is_bad_input() -> None:
    with pytest.raises(InvalidInput, match="ConfigMap shop/input: does not exist"):
        read(Reply(404, status(404, "NotFound", kind="configmaps", name="input")))


def test_one_that_is_being_deleted_is_bad_input() -> None:
    with pytest.raises(InvalidInput, match="is being deleted"):
        read(config_map(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}))
