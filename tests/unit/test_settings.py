"""Flag > environment > handoff.yaml, and clear refusals."""

from __future__ import annotations

import pytest

from hook.errors import InvalidInput
from hook.settings import Settings, settle


def test_a_flag_beats_the_environment_and_the_environment_beats_the_file() -> None:
    settings = settle(
        {"version": "file", "component": "file", "timeout": "1m"},
        "handoff.yaml",
        {"HANDOFF_VERSION": "environment", "HANDOFF_COMPONENT": "environment"},
        {"version": "flag", "component": None},
    )
    assert (settings.version, settings.component, settings.timeout) == ("flag", "environment", 60.0)


def test_camel_case_keys_have_upper_case_variables() -> None:
    assert settle(None, "", {"HANDOFF_TARGET_NAMESPACE": "shop"}, {}).target_namespace == "shop"


def test_lists_in_the_environment_are_separated_by_commas() -> None:
    settings = settle(None, "", {"HANDOFF_RECREATE": "Job/a,Deployment/b"}, {})
    assert settings.recreate == ("Job/a", "Deployment/b")


def test_an_unknown_key_of_the_file_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"handoff.yaml: unknown key 'timeOut'"):
        settle({"timeOut": "1m"}, "handoff.yaml", {}, {})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("timeout", "ten"),
        ("timeout", 10),
        ("timeout", "0"),
        ("timeout", "-5s"),
        ("maxPrune", "many"),
        ("maxPrune", "101%"),
        ("maxPrune", True),
        ("kind", "helm"),
        ("conflicts", "ignore"),
        ("digest", "sha256:abc"),
        ("adopt", "yes"),
        ("recreate", ["Deployment"]),
        ("component", 3),
        ("healthCheckExprs", ["x"]),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_key(key: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=key):
        settle({key: value}, "handoff.yaml", {}, {})


def test_defaults_are_the_documented_ones() -> None:
    defaults = Settings()
    assert (defaults.timeout, defaults.lock_timeout, str(defaults.max_prune), defaults.conflicts) == (
        600.0,
        300.0,
        "50",
        "force",
    )


def test_go_durations_are_read() -> None:
    assert settle({"timeout": "1h30m0.5s"}, "f", {}, {}).timeout == 5400.5
