from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.manifests.identity import Identity
from hook.manifests.parts import Part
from hook.tekton.installer_set import TektonInstallerSet

CONFIG = Identity("", "ConfigMap", "x", "conf")


def tekton_set(*manifests: Any, name: str = "pipeline-main-static-abcde", **more: Any) -> TektonInstallerSet:
    metadata = {"name": name, "uid": "u-1", "resourceVersion": "7", **more}
    return TektonInstallerSet.from_object({"metadata": metadata, "spec": {"manifests": list(manifests)}})


def config(name: str = "conf", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "x"}, **more}


def test_a_manifest_that_is_listed_twice_is_taken_out_twice() -> None:
    found = tekton_set(config(), config("other"), config(data={"a": "1"}))
    assert found.without({CONFIG}) == (config("other"),)


def test_what_is_no_object_is_in_no_inventory_and_stays_in_the_list() -> None:
    odd = {"kind": "ConfigMap"}
    found = tekton_set(odd, config())
    assert found.listed() == {CONFIG: "v1"}
    assert found.without({CONFIG}) == (odd,)


@given(st.recursive(st.none() | st.text() | st.integers(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))
def test_nothing_in_the_list_breaks_the_reading(anything: Any) -> None:
    """Nobody validates what such a set lists."""
    assert tekton_set(anything, config()).listed()[CONFIG] == "v1"
    assert tekton_set({"apiVersion": anything, "kind": anything, "metadata": anything}).listed() is not None


@pytest.mark.parametrize("spec", [{}, {"manifests": None}, {"manifests": "text"}])
def test_a_set_without_a_list_lists_nothing(spec: dict[str, Any]) -> None:
    metadata = {"name": "a", "uid": "u-1", "resourceVersion": "7"}
    assert TektonInstallerSet.from_object({"metadata": metadata, "spec": spec}).manifests == ()


def test_a_set_that_nobody_looked_at_is_not_ready() -> None:
    assert tekton_set().ready == "Unknown"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("pipeline-main-static-abcde", Part.STATIC),
        ("pipeline-main-deployment-abcde", Part.DEPLOYMENT),
        ("pipeline-main-statefulset-abcde", Part.STATEFULSET),
        ("chain-abcde", Part.STATIC),
    ],
)
def test_the_part_is_in_the_name(name: str, part: Part) -> None:
    assert tekton_set(name=name).part is part
