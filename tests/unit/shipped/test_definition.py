"""The definition of InstallerSets as a file: what clients and older runs rely on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from hook.generations.installer_set import (
    API_VERSION,
    KIND,
    Entry,
    InstallerSet,
    Retirement,
    SetReference,
)
from hook.manifests.identity import Identity

FILE = Path(__file__).parents[3] / "manifests" / "crds" / "installersets.yaml"
WEB = Identity("apps", "Deployment", "x", "web")
FULL = InstallerSet(
    namespace="sets",
    component="shop",
    version="v1",
    digest="0" * 64,
    part="static",
    target_namespace="x",
    resources=(Entry(WEB, "v1", adopted=True),),
    replaces=(SetReference("shop-static-old", "u-1"),),
    retained=(Entry(WEB, "v1", adopted=True, why="kept"),),
    retired_by=Retirement("1" * 64, "2026-01-01T00:00:00Z"),
    name="shop-static-000000000000",
)


@pytest.fixture(scope="module")
def definition() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def version(definition: dict[str, Any]) -> dict[str, Any]:
    (only,) = definition["spec"]["versions"]
    return dict(only)


def schema_of(version: dict[str, Any], *path: str) -> dict[str, Any]:
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    for name in path:
        schema = schema["items"] if name == "[]" else schema["properties"][name]
    return schema


def test_it_defines_what_the_records_are_written_as(definition: dict[str, Any], version: dict[str, Any]) -> None:
    assert f"{definition['spec']['group']}/{version['name']}" == API_VERSION
    assert definition["spec"]["names"]["kind"] == KIND
    assert definition["spec"]["names"]["shortNames"] == ["iset"]
    assert definition["spec"]["scope"] == "Namespaced"
    assert definition["metadata"]["name"] == "installersets.installersets.io"


def test_it_carries_its_version_as_a_number(definition: dict[str, Any]) -> None:
    assert int(definition["metadata"]["annotations"]["installersets.io/crd-version"]) >= 1


def test_no_gitops_tool_prunes_it(definition: dict[str, Any]) -> None:
    annotations = definition["metadata"]["annotations"]
    assert annotations["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false"
    assert annotations["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
    assert annotations["helm.sh/resource-policy"] == "keep"


def test_status_is_a_subresource(version: dict[str, Any]) -> None:
    assert version["subresources"] == {"status": {}}


def test_a_set_is_never_without_a_ready_condition(version: dict[str, Any]) -> None:
    assert schema_of(version, "status")["default"] == {}
    (ready,) = schema_of(version, "status", "conditions")["default"]
    assert (ready["type"], ready["status"]) == ("Ready", "Unknown")


def test_a_default_condition_has_all_that_a_condition_needs(version: dict[str, Any]) -> None:
    (ready,) = schema_of(version, "status", "conditions")["default"]
    assert set(schema_of(version, "status", "conditions", "[]")["required"]) <= set(ready)


def test_people_see_component_part_generation_version_ready_phase_and_age(version: dict[str, Any]) -> None:
    shown = [column["name"] for column in version["additionalPrinterColumns"] if not column.get("priority")]
    assert shown == ["Component", "Part", "Generation", "Version", "Ready", "Phase", "Age"]


@pytest.mark.parametrize("path", [("resources",), ("replaces",), ("retained",)])
def test_lists_of_the_record_are_written_as_a_whole(version: dict[str, Any], path: tuple[str, ...]) -> None:
    assert schema_of(version, "spec", *path)["x-kubernetes-list-type"] == "atomic"


def test_every_field_that_is_written_is_in_the_schema(version: dict[str, Any]) -> None:
    """The API server drops what the schema does not know; a dropped field would be a lost record."""
    spec = FULL.to_object()["spec"]
    assert set(spec) <= set(schema_of(version, "spec")["properties"])
    for name in ("resources", "replaces", "retained"):
        known = set(schema_of(version, "spec", name, "[]")["properties"])
        assert all(set(line) <= known for line in spec[name])
    assert set(spec["retiredBy"]) <= set(schema_of(version, "spec", "retiredBy")["properties"])


def test_every_required_field_is_written(version: dict[str, Any]) -> None:
    assert set(schema_of(version, "spec")["required"]) <= set(FULL.to_object()["spec"])
