"""How long a Lease may be relied upon."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hook.cluster.term import Term, boot_clock
from hook.errors import LockedError, Terminated


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def never() -> None:
    raise AssertionError("it waits for a renewal")


@given(st.floats(0.0, 14.9))
def test_a_request_may_start_while_it_would_end_in_time(passed: float) -> None:
    clock = Clock()
    term = Term("shop/handoff-web", 30, clock)
    term.begin(clock.now)
    clock.now += passed

    term.check(15.0, never)


@given(st.floats(30.0, 1e6))
def test_none_may_start_after_the_time(passed: float) -> None:
    clock = Clock()
    term = Term("shop/handoff-web", 30, clock)
    term.begin(clock.now)
    clock.now += passed

    with pytest.raises(LockedError, match="shop/handoff-web was not renewed for 30 s"):
        term.check(15.0, never)


def test_a_term_that_never_began_is_over() -> None:
    with pytest.raises(LockedError):
        Term("l", 30, Clock()).check(15.0, never)


def test_a_term_that_was_lost_stays_lost() -> None:
    """A renewal that succeeds after all does not bring it back."""
    clock = Clock()
    term = Term("l", 30, clock)
    term.begin(clock.now)
    term.lose("was taken by b")
    term.begin(clock.now)
    term.lose("was deleted")

    with pytest.raises(LockedError, match="was taken by b"):
        term.check(15.0, never)


def test_a_late_renewal_is_waited_for() -> None:
    clock = Clock()
    term = Term("l", 30, clock)
    term.begin(clock.now)
    clock.now += 20.0
    waits = threading.Event()
    passed = threading.Event()

    def work() -> None:
        term.check(15.0, waits.set)
        passed.set()

    worker = threading.Thread(target=work)
    worker.start()
    assert waits.wait(5.0)
    assert not passed.is_set()
    term.begin(clock.now)
    worker.join(5.0)

    assert passed.is_set()


def test_sigterm_ends_the_wait_for_a_renewal() -> None:
    clock = Clock()
    term = Term("l", 30, clock)
    term.begin(clock.now)
    clock.now += 20.0

    def stop() -> None:
        raise Terminated("stopped")

    with pytest.raises(Terminated):
        term.check(15.0, stop)


def test_short_requests_may_start_later() -> None:
    """Last words take four seconds, not fifteen."""
    clock = Clock()
    term = Term("l", 30, clock)
    term.begin(clock.now)
    clock.now += 20.0

    term.check(4.0, never)


def test_the_clock_goes_forward() -> None:
    assert boot_clock() <= boot_clock()
