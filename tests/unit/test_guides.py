"""The pages in docs/: what they link to and name is there."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from hook.cli import _parser

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs").glob("*.md"))
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def flags_of(command: str) -> set[str]:
    (commands,) = (a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction))
    return {option for action in commands.choices[command]._actions for option in action.option_strings}


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "manifests" / "README.md", *GUIDES], ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(text_of(page)):
        if target.startswith("http"):
            continue
        linked = (page.parent / target) if target else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


def test_readme_leads_to_every_page() -> None:
    linked = {target for target, _ in _LINK.findall(text_of(ROOT / "README.md"))}
    assert {f"docs/{page.name}" for page in GUIDES} <= linked


def test_the_page_on_rights_names_every_flag_of_its_command_but_the_common_ones() -> None:
    named = set(re.findall(r"`(--[a-z-]+)", text_of(ROOT / "docs" / "rights.md")))
    common = flags_of("check") - {"--kubeconfig", "--context"}
    assert flags_of("rbac") - common - {"--name"} <= named
    assert named <= flags_of("rbac")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_flag_in_a_command_line_of_ours_exists(page: Path) -> None:
    for command, rest in re.findall(r"^(?:\$ )?handoff ([a-z-]+) (.*(?:\\\n.*)*)", text_of(page), re.MULTILINE):
        assert set(re.findall(r"(--[a-z-]+)", rest)) <= flags_of(command), (command, rest)
