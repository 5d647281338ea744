"""What holds for any input: no crash, one digest for one meaning, cleaning once is enough."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hook.errors import InvalidInput
from hook.manifests.clean import clean
from hook.manifests.digest import digest_manifests
from hook.manifests.load import Manifests, load, place
from hook.manifests.reader import read_documents
from hook.manifests.scope import builtin_scope, scope_from
from hook.manifests.sources import read_tree
from hook.manifests.waves import api_services_of, wave_of

TEXT = st.text(st.characters(max_codepoint=0xFFFD, exclude_categories=["Cs"]), max_size=12)
WHOLE = st.integers(-(2**63), 2**64 - 1)
DECIMAL = st.decimals(-1000, 1000, places=2).map(float)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | DECIMAL | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
# Odd values for fields that the rules look at: a few of each type, since drawing whole trees there takes long.
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 1.5, "x", "", [], {}, [None], [[]], {"a": None}, [{}], {"a": {"b": [1]}}]
)
# No deadline: an example's time says nothing on a busy machine.
SOME = settings(deadline=None, max_examples=40)
MANY = settings(deadline=None, max_examples=200)

KINDS = [
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("v1", "Service"),
    ("v1", "Pod"),
    ("v1", "List"),
    ("v1", "Namespace"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "CronJob"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "RoleList"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("apiregistration.k8s.io/v1", "APIService"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("example.org/v1", "Gear"),
]
MARKS = st.sampled_from(
    [
        "argocd.argoproj.io/tracking-id",
        "argocd.argoproj.io/hook",
        "helm.sh/hook",
        "helm.sh/resource-policy",
        "app.kubernetes.io/instance",
        "kustomize.toolkit.fluxcd.io/name",
        "owner.installersets.io/shop",
        "applied.installersets.io/shop",
        "installersets.io/prune",
        "example.org/a",
    ]
)
WORDS = st.sampled_from(["a", "shop", "shop:v1/ConfigMap:a/b", "test", "Skip", "disabled", "keep", ""])
MAPS = st.dictionaries(MARKS, WORDS | st.none(), max_size=4)


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """Objects that are nearly or wholly valid, with odd values in the fields that the rules look at."""
    api_version, kind = draw(st.sampled_from(KINDS))
    metadata: dict[str, Any] = {"name": draw(st.sampled_from(["a", "b", "c.d"]))}
    metadata |= draw(st.fixed_dictionaries({}, optional={"labels": MAPS, "annotations": MAPS, "namespace": WORDS}))
    metadata |= draw(st.fixed_dictionaries({}, optional={"uid": WORDS, "finalizers": ODD, "creationTimestamp": ODD}))
    entry = st.fixed_dictionaries(
        {}, optional={"name": WORDS, "port": st.integers(0, 3), "protocol": ODD, "env": ODD, "ports": ODD}
    )
    entries = st.lists(entry | ODD, max_size=3)
    spec = st.fixed_dictionaries(
        {}, optional={"ports": entries, "containers": entries, "template": ODD, "names": ODD, "versions": ODD}
    )
    content = {"spec": spec | ODD, "data": MAPS | ODD, "stringData": MAPS | ODD, "status": ODD, "items": entries}
    content |= {"webhooks": entries | ODD, "rules": ODD, "aggregationRule": ODD}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata} | draw(
        st.fixed_dictionaries({}, optional=content)
    )


def tried(data: bytes, file: str = "x") -> Manifests | None:
    """What loads, placed in both ways; None for bad input. Any other exception is a failure."""
    try:
        manifests = load(read_documents(data, file))
        scopes = scope_from(item.obj for item in manifests.items)
        placed = place(manifests.items, "shop", lambda kind: scopes.get(kind, builtin_scope(kind)))
    except InvalidInput:
        return None
    for item in placed:
        wave_of(item, api_services_of(placed))
    digest_manifests(manifests.items, "shop")
    return manifests


@SOME
@given(st.binary(max_size=200))
def test_no_bytes_crash(data: bytes) -> None:
    tried(data)


@MANY
@given(st.text(st.sampled_from("{}[]:,-#&*!|>'\"%@`?~.0123yn<\n\t \ue000aλ\u0085\ufeff\\/"), max_size=60))
def test_no_punctuation_crashes(text: str) -> None:
    tried(text.encode())


@SOME
@given(JSON)
def test_no_json_crashes(value: Any) -> None:
    tried(json.dumps(value).encode())


@SOME
@given(st.lists(objects(), max_size=3))
def test_no_object_crashes(values: list[Any]) -> None:
    tried("\n".join(json.dumps(value) for value in values).encode())


@SOME
@given(JSON)
def test_json_is_read_as_it_is_written(value: Any) -> None:
    assume(isinstance(value, (dict, list)))
    assert [document.value for document in read_documents(json.dumps(value).encode(), "x")] == [value]


@SOME
@given(st.lists(objects(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_the_digest_depends_on_neither_form_nor_order_nor_files(values: list[Any], chance: random.Random) -> None:
    plain = tried("\n".join(json.dumps(value) for value in values).encode())
    assume(plain is not None)
    assert plain is not None
    mixed = [_shuffled(value, chance) for value in values]
    chance.shuffle(mixed)
    files: dict[str, bytes] = {}
    for value in mixed:
        name = f"{chance.randrange(3)}.yaml"
        text = json.dumps(value) if chance.random() < 0.3 else _block(value, 0)
        files[name] = files.get(name, b"") + b"\n---\n" + text.encode() + b"\n"
    other = load(read_tree(files, "other").documents)
    assert digest_manifests(other.items, "shop") == digest_manifests(plain.items, "shop")


@SOME
@given(objects())
def test_cleaning_twice_changes_nothing_more_and_never_its_input(value: dict[str, Any]) -> None:
    manifests = tried(json.dumps(value).encode())
    assume(manifests is not None and manifests.items and value["kind"] not in ("List", "RoleList"))
    before = copy.deepcopy(value)
    once = clean(value)
    assert value == before
    assert clean(once) == once


@SOME
@given(objects())
def test_what_is_loaded_loads_again_as_it_is(value: dict[str, Any]) -> None:
    manifests = tried(json.dumps(value).encode())
    assume(manifests is not None)
    assert manifests is not None
    again = tried("".join(json.dumps(item.obj) for item in manifests.items).encode())
    assert again is not None
    assert [item.obj for item in again.items] == [item.obj for item in manifests.items]


def _shuffled(value: Any, chance: random.Random) -> Any:
    """The same JSON with the keys of its mappings in another order."""
    if isinstance(value, dict):
        pairs = [(key, _shuffled(one, chance)) for key, one in value.items()]
        chance.shuffle(pairs)
        return dict(pairs)
    return [_shuffled(one, chance) for one in value] if isinstance(value, list) else value


def _block(value: Any, depth: int) -> str:
    """JSON as YAML in block style; scalars are written as JSON, which double-quoted YAML agrees with."""
    pad = "  " * depth
    if isinstance(value, dict) and value:
        return "\n".join(f"{pad}{json.dumps(key)}:{_nested(one, depth)}" for key, one in value.items())
    if isinstance(value, list) and value:
        return "\n".join(f"{pad}-{_nested(one, depth)}" for one in value)
    return pad + json.dumps(value)


def _nested(value: Any, depth: int) -> str:
    if isinstance(value, (dict, list)) and value:
        return "\n" + _block(value, depth + 1)
    return " " + json.dumps(value)
