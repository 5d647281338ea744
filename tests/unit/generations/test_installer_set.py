"""Sets survive the way to the cluster and back, and newer formats are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.errors import Refused
from hook.generations.installer_set import (
    Entry,
    Fact,
    InstallerSet,
    Retirement,
    SetReference,
    fact_key,
    set_name,
)
from hook.manifests.identity import Identity

_NAMES = st.text("abcdefgh-", min_size=1, max_size=12)
_IDENTITIES = st.builds(
    Identity, st.sampled_from(["", "apps"]), st.sampled_from(["A", "B"]), _NAMES | st.just(""), _NAMES
)
_ENTRIES = st.lists(st.builds(Entry, _IDENTITIES, st.just("v1"), st.booleans(), st.just("") | _NAMES)).map(tuple)


def _set(**changes: object) -> InstallerSet:
    values: dict[str, object] = {
        "namespace": "shop",
        "component": "web",
        "version": "v1",
        "digest": "a" * 64,
        "part": "static",
        "target_namespace": "shop",
        "resources": (),
        "name": "web-static-aaaaaaaaaaaa",
        **changes,
    }
    return InstallerSet(**values)  # type: ignore[arg-type]


@given(
    resources=_ENTRIES,
    retained=_ENTRIES,
    replaces=st.lists(st.builds(SetReference, _NAMES, _NAMES)).map(tuple),
    retired_by=st.none() | st.builds(Retirement, _NAMES, _NAMES),
)
def test_a_set_reads_back_as_it_was_written(
    resources: tuple[Entry, ...],
    retained: tuple[Entry, ...],
    replaces: tuple[SetReference, ...],
    retired_by: Retirement | None,
) -> None:
    one = _set(resources=resources, retained=retained, replaces=replaces, retired_by=retired_by)
    assert InstallerSet.from_object(one.to_object()) == one


def test_a_newer_format_is_refused() -> None:
    obj = _set().to_object()
    obj["spec"]["formatVersion"] = 2
    with pytest.raises(Refused, match="format 2 is newer"):
        InstallerSet.from_object(obj)


def test_the_phase_label_says_whether_a_set_retires() -> None:
    retiring = _set(retired_by=Retirement("b" * 64, "2026-01-01T00:00:00Z")).to_object()
    assert retiring["metadata"]["labels"]["installersets.io/phase"] == "retiring"
    assert _set().to_object()["metadata"]["labels"]["installersets.io/phase"] == "active"


def test_ready_of_an_older_generation_of_the_set_does_not_count() -> None:
    conditions = [{"type": "Ready", "status": "True", "observedGeneration": 1}]
    assert _set(observed=1, status={"conditions": conditions}).is_ready
    assert not _set(observed=2, status={"conditions": conditions}).is_ready


@pytest.mark.parametrize("facts", [None, [], {"x": None}, {"x": {"uid": 3}}, {"x": {}}, "facts"])
def test_odd_facts_count_as_not_written(facts: object) -> None:
    assert _set(status={"facts": facts}).facts == {}


def test_facts_are_found_by_identity_and_never_name_it() -> None:
    identity = Identity("apps", "Deployment", "shop", "web")
    key = fact_key(identity)
    assert _set(status={"facts": {key: {"uid": "u", "generation": 3}}}).facts[key] == Fact("u", 3)
    assert "web" not in key
    assert fact_key(Identity("apps", "Deployment", "shop", "web2")) != key


def test_only_further_shards_carry_a_number() -> None:
    assert set_name("web", "static", "abc", 0) == "web-static-abc"
    assert set_name("web", "static", "abc", 2) == "web-static-abc-2"
