"""The termination message fits, and a missing file is no error."""

from __future__ import annotations

from pathlib import Path

from hook.report.journal import Journal
from hook.report.termination import LIMIT, write_termination_message


def test_a_long_message_is_cut_to_what_the_kubelet_keeps(tmp_path: Path) -> None:
    file = tmp_path / "log"
    write_termination_message(Journal(message="ü" * 5000), file)
    assert len(file.read_bytes()) <= LIMIT
    assert file.read_text("utf-8").startswith("ü")


def test_the_cause_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "log"
    write_termination_message(Journal(component="web", message="ConfigMap shop/conf: refused"), file)
    assert file.read_text("utf-8").startswith("ConfigMap shop/conf: refused")


def test_no_file_is_no_error(tmp_path: Path) -> None:
    write_termination_message(Journal(), tmp_path / "missing" / "log")
