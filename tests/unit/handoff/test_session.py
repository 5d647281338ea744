"""Which error is raised of several that happened at once."""

from __future__ import annotations

from hook.errors import HandoffError, Refused, RightsMissing, Terminated
from hook.handoff.session import worst


def test_what_no_retry_can_help_with_comes_first() -> None:
    assert worst([HandoffError("a"), Refused("b"), RightsMissing("c")]).args == ("c",)


def test_sigterm_comes_before_all_else() -> None:
    assert isinstance(worst([RightsMissing("a"), Terminated("b")]), Terminated)


def test_the_others_of_the_same_kind_are_told_as_well() -> None:
    error = worst([Refused("a"), HandoffError("b"), Refused("c")])
    assert isinstance(error, Refused)
    assert (error.message, error.details) == ("a", ("c",))


def test_a_fault_of_ours_is_never_hidden_behind_an_expected_error() -> None:
    assert isinstance(worst([Refused("a"), KeyError("b")]), KeyError)
