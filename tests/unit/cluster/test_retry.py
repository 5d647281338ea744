"""When a request is sent again."""

from __future__ import annotations

import threading

import pytest

from hook.cluster.answers import Answer, Cause
from hook.cluster.retry import ERROR_BUDGET, Retry, Throttle


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def run(
    answers: list[tuple[Answer, Cause | None]], clock: Clock, **settings: float
) -> tuple[Answer, Cause | None, int, bool, list[Cause]]:
    retry = Retry(clock=clock, spread=lambda: 1.0, throttle=Throttle(clock), **settings)
    given = iter(answers)
    causes: dict[int, Cause | None] = {}
    counted: list[Cause] = []

    def attempt() -> Answer:
        answer, cause = next(given)
        causes[id(answer)] = cause
        return answer

    found = retry.run(attempt, lambda answer: causes[id(answer)], pause=clock.pause, count=counted.append)
    return found.answer, found.cause, found.retries, found.lost, counted


GOOD = (Answer(200), None)


def bad(cause: Cause, status: int = 503, **more: object) -> tuple[Answer, Cause | None]:
    return Answer(status, **more), cause  # type: ignore[arg-type]


def test_a_good_answer_is_not_repeated() -> None:
    clock = Clock()

    assert run([GOOD], clock)[1:] == (None, 0, False, [])
    assert clock.pauses == []


def test_pauses_double_up_to_five_seconds() -> None:
    clock = Clock()

    run([bad(Cause.UNAVAILABLE) for _ in range(8)] + [GOOD], clock)

    assert clock.pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


@pytest.mark.parametrize("cause", [Cause.INVALID, Cause.FORBIDDEN, Cause.STALE, Cause.WEBHOOK_UNREACHABLE])
def test_a_lasting_cause_ends_at_once(cause: Cause) -> None:
    clock = Clock()

    assert run([bad(cause)], clock)[1] is cause
    assert clock.pauses == []


def test_the_budget_ends_the_trying() -> None:
    clock = Clock()

    _, cause, _, _, _ = run([bad(Cause.UNAVAILABLE) for _ in range(100)], clock, budget=20.0)

    assert cause is Cause.UNAVAILABLE
    assert 10.0 < sum(clock.pauses) <= 20.0


def test_the_deadline_of_the_run_ends_it_earlier() -> None:
    clock = Clock()

    run([bad(Cause.UNAVAILABLE) for _ in range(100)], clock, deadline=clock.now + 2.0)

    assert sum(clock.pauses) <= 2.0


def test_an_unknown_error_of_the_server_is_believed_sooner() -> None:
    clock = Clock()

    run([bad(Cause.SERVER_ERROR, 500) for _ in range(100)], clock)

    assert sum(clock.pauses) <= ERROR_BUDGET


@pytest.mark.parametrize(("cause", "code"), [(Cause.THROTTLED, 429), (Cause.UNAVAILABLE, 503)])
def test_retry_after_is_waited_for(cause: Cause, code: int) -> None:
    clock = Clock()

    run([bad(cause, code, headers={"retry-after": "7"}), GOOD], clock)

    assert clock.pauses == [7.0]


def test_throttling_without_retry_after_waits_a_second() -> None:
    clock = Clock()

    run([bad(Cause.THROTTLED, 429), GOOD], clock)

    assert clock.pauses == [1.0]


def test_a_retry_after_beyond_the_budget_ends_the_trying() -> None:
    clock = Clock()

    assert run([bad(Cause.THROTTLED, 429, headers={"retry-after": "600"})], clock)[1] is Cause.THROTTLED
    assert clock.pauses == []


def test_storage_that_initializes_holds_nobody_else_back() -> None:
    clock = Clock()
    retry = Retry(clock=clock, throttle=Throttle(clock))
    answers = iter([bad(Cause.INITIALIZING, 429), GOOD])
    current: list[Cause | None] = []

    def attempt() -> Answer:
        answer, cause = next(answers)
        current[:] = [cause]
        return answer

    retry.run(attempt, lambda _: current[0], pause=lambda _: None, count=lambda _: None)

    assert retry.throttle.remaining() == 0.0


@pytest.mark.parametrize(
    ("answer", "lost"),
    [
        (Answer(0, failure="reset", sent=True), True),
        (Answer(0, failure="refused", sent=False), False),
        (Answer(504), True),
        (Answer(429), False),
    ],
)
def test_a_lost_answer_may_have_been_a_deed(answer: Answer, lost: bool) -> None:
    assert run([(answer, Cause.UNAVAILABLE), GOOD], Clock())[3] is lost


def test_repetitions_are_counted_by_cause() -> None:
    counted = run([bad(Cause.UNAVAILABLE), bad(Cause.THROTTLED, 429), GOOD], Clock())[4]

    assert counted == [Cause.UNAVAILABLE, Cause.THROTTLED]


def test_a_throttle_only_grows_until_its_time_is_over() -> None:
    clock = Clock()
    throttle = Throttle(clock)
    throttle.hold(5.0)
    throttle.hold(2.0)

    assert throttle.remaining() == 5.0
    clock.now += 5.0
    assert throttle.remaining() == 0.0


def test_no_answer_holds_the_workers_back_for_longer_than_a_minute() -> None:
    throttle = Throttle(Clock())
    throttle.hold(86400.0)

    assert throttle.remaining() == 60.0


def test_sigterm_ends_the_wait_of_a_throttled_worker() -> None:
    stop = threading.Event()
    throttle = Throttle()
    throttle.hold(600.0)
    worker = threading.Thread(target=throttle.wait, args=(stop,))
    worker.start()

    stop.set()
    worker.join(5.0)

    assert not worker.is_alive()
