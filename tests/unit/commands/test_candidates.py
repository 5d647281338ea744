from __future__ import annotations

from hook.commands.candidates import CANDIDATE_COLUMNS, candidate_row
from hook.tekton.installer_set import CREATED_BY, TYPE, TektonInstallerSet


def test_a_row_shows_who_made_the_set_and_how_much_it_lists_and_leaves_open_what_is_not_said() -> None:
    metadata = {
        "name": "pipeline-main-static-abcde",
        "uid": "u-1",
        "resourceVersion": "7",
        "labels": {CREATED_BY: "TektonPipeline", TYPE: "main"},
        "ownerReferences": [{"kind": "TektonPipeline", "name": "pipeline"}],
    }
    made = TektonInstallerSet.from_object({"metadata": metadata, "spec": {"manifests": [{}, {}]}})
    row = dict(zip(CANDIDATE_COLUMNS, candidate_row(made), strict=True))
    assert row == {
        "NAME": "pipeline-main-static-abcde",
        "CREATED-BY": "TektonPipeline",
        "TYPE": "main",
        "OWNER": "TektonPipeline/pipeline",
        "READY": "Unknown",
        "MANIFESTS": "2",
    }
    bare = TektonInstallerSet.from_object({"metadata": {"name": "a", "uid": "u-1", "resourceVersion": "7"}})
    assert candidate_row(bare) == ("a", "", "", "", "Unknown", "0")
