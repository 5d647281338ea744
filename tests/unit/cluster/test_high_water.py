"""Which run is the newest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.cluster.high_water import Mark, higher, supersedes

EARLY, LATE = "2026-01-01T09:00:00Z", "2026-01-01T11:00:00Z"
MARKS = st.builds(Mark, st.sampled_from([EARLY, LATE, "nonsense"]), st.sampled_from(["", "a", "b", "c"]))


@pytest.mark.parametrize(
    ("other", "own", "exists", "newer"),
    [
        (Mark(LATE, "a"), Mark(EARLY, "b"), True, True),
        (Mark(LATE, "a"), Mark(EARLY, "b"), False, True),
        (Mark(EARLY, "b"), Mark(LATE, "a"), True, False),
        (Mark(EARLY, "b"), Mark(EARLY, "a"), True, True),
        (Mark(EARLY, "a"), Mark(EARLY, "b"), True, False),
        (Mark(EARLY, "b"), Mark(EARLY, "a"), False, False),
        (Mark(EARLY, "b"), Mark(EARLY, "a"), None, True),
        (Mark(LATE, "a"), Mark(EARLY, "a"), True, False),
        (Mark(EARLY), Mark(EARLY, "a"), True, False),
        (Mark(LATE), Mark(EARLY, "a"), True, True),
        (Mark("nonsense", "z"), Mark(EARLY, "a"), True, False),
    ],
    ids=[
        "a later Job wins",
        "also when it is gone",
        "an earlier one does not",
        "in the same second the greater uid",
        "and not the smaller",
        "nor one that is gone",
        "but one that cannot be looked at",
        "the same Job is never newer than itself",
        "a run without a Job does not beat one of its second",
        "but one of an earlier second",
        "what is no time is old",
    ],
)
def test_supersedes(other: Mark, own: Mark, exists: bool | None, newer: bool) -> None:
    assert supersedes(other, own, lambda _: exists) is newer


@given(MARKS, MARKS)
def test_two_runs_never_supersede_each_other(first: Mark, second: Mark) -> None:
    assert not (supersedes(first, second, lambda _: True) and supersedes(second, first, lambda _: True))


@given(MARKS, MARKS, MARKS)
def test_the_higher_mark_is_the_same_in_any_order(first: Mark, second: Mark, third: Mark) -> None:
    one, other = higher(higher(first, second), third), higher(first, higher(second, third))

    assert one is not None
    assert other is not None
    assert (one.instant, one.uid) == (other.instant, other.uid)


def test_a_mark_survives_being_written() -> None:
    mark = Mark(EARLY, "u", "shop", "j", "0123456789ab")

    assert Mark.of({"annotations": {"other": "x", **mark.annotations()}}) == mark


def test_a_mark_of_a_run_without_a_job_leaves_nothing_of_an_older_one() -> None:
    annotations = {**Mark(EARLY, "u", "shop", "j", "g").annotations(), **Mark(LATE).annotations()}

    assert Mark.of({"annotations": annotations}) == Mark(LATE)


@pytest.mark.parametrize("metadata", [{}, {"annotations": None}, {"annotations": {"installersets.io/job-uid": "u"}}])
def test_no_mark(metadata: dict[str, object]) -> None:
    assert Mark.of(metadata) is None
