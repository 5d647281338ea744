"""Verdicts of kstatus and ours, side by side: the file of cases that lies beside the design, where it is at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hook.readiness.rules import Rules
from hook.report.readiness import read_objects, readiness_command

_FILE = Path(os.environ.get("HANDOFF_SHARED", Path(__file__).parents[4] / "shared")) / "readiness-vectors.json"
_CASES: list[dict[str, Any]] = json.loads(_FILE.read_text()) if _FILE.is_file() else []
_EXIT = {"Current": 0, "Failed": 4, "Blocked": 4}


@pytest.mark.skipif(not _CASES, reason=f"{_FILE} is not at hand")
@pytest.mark.parametrize("case", _CASES, ids=[case["id"] for case in _CASES])
def test_the_command_gives_our_verdict(case: dict[str, Any]) -> None:
    """A star marks a verdict of patience: it has to come with a warning, and no other may."""
    objects = read_objects(json.dumps(case["obj"]).encode(), "case.json")
    report, exit_code = readiness_command(objects, Rules(), "json")
    (entry,) = json.loads(report)
    state = case["ours"].rstrip("*")
    assert entry["state"] == state, case["why"]
    assert (entry["warning"] is not None) == case["ours"].endswith("*"), entry["warning"]
    assert exit_code == _EXIT.get(state, 10)
