"""Each thing is said once and counted once."""

from __future__ import annotations

import json

from hook.manifests.identity import Identity
from hook.report.journal import COUNTS, LISTS, Journal
from hook.report.result import as_json, as_text

_CONF = Identity("", "ConfigMap", "shop", "conf")


def test_the_same_note_twice_is_one() -> None:
    journal = Journal()
    journal.note("kept", _CONF, "why")
    journal.note("kept", _CONF, "why")
    assert journal.listed("kept") == [("ConfigMap shop/conf", "why")]


def test_a_resource_that_two_passes_touch_counts_once() -> None:
    journal = Journal()
    journal.count("created", _CONF)
    journal.count("unchanged", _CONF)
    journal.count("changed", _CONF)
    assert journal.counts == {"created": 1}
    assert journal.written == {_CONF}


def test_what_is_pruned_after_it_was_written_counts_as_pruned() -> None:
    journal = Journal()
    journal.count("created", _CONF)
    journal.count("pruned", _CONF)
    assert journal.counts == {"pruned": 1}


def test_the_json_of_a_run_has_every_documented_key() -> None:
    journal = Journal(component="web", generation="abc", version="v1", result="done")
    result = json.loads(as_json(journal))
    assert set(result["counts"]) == set(COUNTS)
    documented = {"component", "generation", "version", "result", "exitCode", "message", "seconds", "counts"}
    assert documented | {"waitingFor", "requests"} | set(LISTS) <= set(result)


def test_the_text_names_the_outcome_first() -> None:
    journal = Journal(component="web", generation="abc", version="v1", result="done")
    journal.note("pruned", _CONF)
    first, *rest = as_text(journal).splitlines()
    assert first.startswith("web v1 (generation abc): done")
    assert "  ConfigMap shop/conf" in rest
