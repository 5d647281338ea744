"""What a time limit and SIGTERM mean, before and after retirement began."""

from __future__ import annotations

import threading
import time

import pytest

from hook.errors import PruneIncomplete, Terminated, TimeLimit
from hook.handoff.deadline import Deadline


def deadline_of(seconds: float, stop: threading.Event | None = None) -> Deadline:
    stopped = stop or threading.Event()

    def check_stop() -> None:
        if stopped.is_set():
            raise Terminated("stopped")

    return Deadline(seconds, stopped, check_stop)


def test_before_retirement_a_passed_limit_says_that_nothing_was_retired() -> None:
    with pytest.raises(TimeLimit, match="was not retired"):
        deadline_of(0.0).check("waiting")


def test_after_retirement_began_it_is_an_incomplete_prune() -> None:
    deadline = deadline_of(0.0)
    deadline.retirement_began = True
    with pytest.raises(PruneIncomplete, match="run again"):
        deadline.check("waiting")


def test_sigterm_ends_a_pause_at_once() -> None:
    stop = threading.Event()
    deadline = deadline_of(60.0, stop)
    threading.Timer(0.05, stop.set).start()
    started = time.monotonic()
    with pytest.raises(Terminated):
        deadline.pause(30.0)
    assert time.monotonic() - started < 10.0


def test_a_pause_is_no_longer_than_the_time_that_is_left() -> None:
    deadline = deadline_of(0.05)
    started = time.monotonic()
    deadline.pause(30.0)
    assert time.monotonic() - started < 10.0
    with pytest.raises(TimeLimit):
        deadline.check("waiting")
