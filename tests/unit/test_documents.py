"""README and DEVELOPMENT say what is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hook import errors
from hook.cli import _parser
from hook.manifests.annotations import PRUNE, READY_WHEN, RECREATE, SHARE, TIMEOUT, WAIT_FOR
from hook.report.journal import Journal
from hook.report.result import as_object

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
DEVELOPMENT = (ROOT / "DEVELOPMENT.md").read_text("utf-8")


def section(title: str) -> str:
    """The text below a heading, up to the next one of any level."""
    return README.split(f"# {title}\n")[1].split("\n#")[0]


def run_flags() -> list[str]:
    commands = next(action.choices for action in _parser()._actions if isinstance(action.choices, dict))
    flags = {option for action in commands["run"]._actions for option in action.option_strings}
    return sorted(flags - {"-h", "--help"})


def errors_of(kind: type[errors.HandoffError]) -> Iterator[type[errors.HandoffError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from errors_of(below)


@pytest.mark.parametrize("flag", run_flags())
def test_readme_names_every_flag_of_a_run(flag: str) -> None:
    assert f"`{flag}`" in section("Settings")


def test_readme_names_no_flag_that_is_not_there() -> None:
    assert set(re.findall(r"^\| `(--[a-z-]+)`", section("Settings"), re.MULTILINE)) <= set(run_flags())


@pytest.mark.parametrize("annotation", [PRUNE, RECREATE, SHARE, TIMEOUT, WAIT_FOR, READY_WHEN])
def test_readme_names_every_annotation(annotation: str) -> None:
    assert f"`{annotation}: " in section("Annotations")


@pytest.mark.parametrize("code", sorted({0, *(kind.exit_code for kind in errors_of(errors.HandoffError))}))
def test_readme_names_every_exit_code(code: int) -> None:
    assert f"\n| {code} | " in section("Exit codes")


@pytest.mark.parametrize("key", list(as_object(Journal())))
def test_readme_names_every_key_of_the_result(key: str) -> None:
    assert f"`{key}`" in section("Result")


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:hook|tests|manifests|examples|demo)/[\w./]*)`", README + DEVELOPMENT)))
)
def test_paths_that_are_named_exist(path: str) -> None:
    assert (ROOT / path).exists()
