"""Candidates of several generations."""

from __future__ import annotations

from hook.pruning.candidate import Candidate, merge
from tests.unit.pruning.world import CONFIG, DEPLOYMENT


def test_a_resource_of_two_generations_is_one_candidate_listed_by_both() -> None:
    older = Candidate(CONFIG, "v1", "u-1", ("shop-static-b",))
    newer = Candidate(CONFIG, "v2", "u-2", ("shop-static-a",))
    assert merge([older, newer]) == (Candidate(CONFIG, "v2", "u-2", ("shop-static-a", "shop-static-b")),)


def test_what_the_newer_record_does_not_know_comes_from_the_older() -> None:
    merged = merge([Candidate(CONFIG, "v1", "u-1", retained=True), Candidate(CONFIG, "v1")])
    assert merged == (Candidate(CONFIG, "v1", "u-1", retained=True),)


def test_candidates_come_sorted() -> None:
    merged = merge([Candidate(DEPLOYMENT, "v1"), Candidate(CONFIG, "v1")])
    assert [each.identity for each in merged] == [CONFIG, DEPLOYMENT]
