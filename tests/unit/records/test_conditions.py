"""Conditions as kstatus reads them, with transition times that mean something."""

from __future__ import annotations

from hook.records.conditions import applying, merged, ready, retired, stalled, waiting

_THEN, _NOW = "2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z"


def test_ready_is_always_among_them() -> None:
    """A set without it counts as ready for kstatus."""
    for wanted in (applying(), waiting("x"), ready(), stalled("Failed", "x", applied=True), retired("abc")):
        assert [c.type for c in wanted].count("Ready") == 1


def test_an_unchanged_status_keeps_its_time_and_a_changed_one_gets_a_new_one() -> None:
    before = merged([], waiting("x"), 1, _THEN)
    after = {c["type"]: c for c in merged(before, ready(), 1, _NOW)}
    assert after["Ready"]["lastTransitionTime"] == _NOW
    assert after["Applied"]["lastTransitionTime"] == _THEN


def test_a_condition_that_does_not_hold_any_more_is_dropped() -> None:
    before = merged([], stalled("Failed", "x", applied=True), 1, _THEN)
    assert "Stalled" not in {c["type"] for c in merged(before, ready(), 1, _NOW)}


def test_writing_the_same_again_changes_nothing() -> None:
    once = merged([], ready(), 3, _THEN)
    assert merged(once, ready(), 3, _NOW) == once


def test_odd_earlier_conditions_do_no_harm() -> None:
    for odd in (None, "x", [1, None, {}], {"a": 1}):
        assert merged(odd, ready(), 1, _NOW)[0]["lastTransitionTime"] == _NOW
