"""Removal of a component that the operator keeps: nothing is stripped from its sets, and they go with the rest."""

from __future__ import annotations

from tests.integration.tekton.operated_component import OperatedComponent


def assert_gone(operated: OperatedComponent, version: int) -> None:
    assert operated.live(version) == {}
    assert operated.tekton_sets() == []
    assert operated.records() == []
    assert operated.saved() is None


def test_what_was_handed_over_is_removed_sets_and_all_and_a_claim_stays_without_an_owner(
    operated: OperatedComponent,
) -> None:
    operated.cluster.load([operated.volume()])
    first = operated.run_alone(1, objects=[*operated.objects(1), operated.claim()])
    assert first.exit_code == 0, str(first)

    result = operated.remove()

    assert result.exit_code == 0, str(result)
    assert_gone(operated, 1)
    (claim,) = operated.live_of([operated.claim()]).values()
    assert "ownerReferences" not in claim["metadata"]
    assert "deletionTimestamp" not in claim["metadata"]


def test_a_claim_goes_where_its_kind_is_named(operated: OperatedComponent) -> None:
    operated.cluster.load([operated.volume()])
    first = operated.run_alone(1, objects=[*operated.objects(1), operated.claim()])
    assert first.exit_code == 0, str(first)

    result = operated.remove("--prune-kind", "PersistentVolumeClaim")

    assert result.exit_code == 0, str(result)
    assert_gone(operated, 1)
    assert operated.live_of([operated.claim()]) == {}


def test_sets_that_were_never_handed_over_are_removed_by_their_names(operated: OperatedComponent) -> None:
    operated.install([*operated.objects(1), operated.claim()])

    result = operated.remove(*operated.named())

    assert result.exit_code == 0, str(result)
    assert_gone(operated, 1)
    (claim,) = operated.live_of([operated.claim()]).values()
    assert "ownerReferences" not in claim["metadata"]
    assert "deletionTimestamp" not in claim["metadata"]
