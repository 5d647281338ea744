"""Lets requests of a component's life fail: `python -m tests.sweeps.faults`.

Each kind of fault at each place in turn (`--only "request 7"` for one of them), then any of them anywhere, by a seed
(`--only seed`). Every run must come to its end by itself, and leave what an undisturbed one leaves.
"""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.cluster.proxy import Exchange, Fault, Proxy, Request, faults
from tests.hook_process import HookResult
from tests.sweeps.chain import Expected, command, live_through
from tests.sweeps.forks import Forks
from tests.sweeps.subject import Subject
from tests.sweeps.sweep import main

SEEDS = 40
_SHARE = 0.06  # of the requests, where it is left to chance

# What can become of any request but a watch ...
OF_REQUESTS: dict[str, Fault] = {
    "429": faults.status(429, "TooManyRequests", "slow down"),
    "429 with Retry-After": faults.status(429, "TooManyRequests", "slow down", {"Retry-After": "1"}),
    "500": faults.status(500, "InternalError", "Internal error occurred: unknown"),
    "502": faults.answer(502, b"<html>bad gateway</html>"),
    "503": faults.status(503, "ServiceUnavailable", "etcdserver: leader changed"),
    "504": faults.status(504, "Timeout", "request did not complete within requested timeout"),
    "401 once": faults.status(401, "Unauthorized", "Unauthorized"),
    "reset before the server acted": faults.refused(),
    "reset after the server acted": faults.lost_answer(),
    "connection closed": Exchange.drop,
    "slow": faults.late(1.5),
    "slow answer": faults.late_answer(1.5),
    "half an answer": faults.cut_body(120),
}
# ... and of a watch, which does not end by itself.
OF_WATCHES: dict[str, Fault] = {
    "reset": faults.refused(),
    "503": OF_REQUESTS["503"],
    "ends at once": faults.answer(200, b""),
    "410": faults.status(410, "Expired", "too old resource version"),
    "410 inside": faults.answer(
        200, json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}}).encode()
    ),
    "no JSON": faults.answer(200, b"<html>\n"),
}
# The summary counts what was sent again; these are not.
_UNCOUNTED = frozenset({"401 once", "slow", "slow answer"})


@dataclass(frozen=True, slots=True)
class Place:
    """One fault at one request of each step; beyond its last one, counted on from its first."""

    fault: str
    number: int

    def __str__(self) -> str:
        return f"{self.fault} at request {self.number} of each step"


@dataclass(frozen=True, slots=True)
class Chance:
    """Any fault at any request."""

    seed: int

    def __str__(self) -> str:
        return f"faults at random, seed {self.seed}"


Case = Place | Chance


def cases(expected: Expected) -> Iterator[Case]:
    """All places, then all seeds."""
    yield from places(expected)
    yield from chances(SEEDS)


def places(expected: Expected) -> Iterator[Case]:
    """Each fault at each request."""
    for number in range(1, max(expected.requests.values()) + 1):
        for fault in OF_REQUESTS:
            yield Place(fault, number)


def chances(count: int) -> Iterator[Case]:
    """So many seeds."""
    yield from map(Chance, range(count))


def faulty(subject: Subject, forks: Forks, proxy: Proxy, expected: Expected, case: Case) -> None:
    """One life, disturbed as the case says. Raises AssertionError with what is not as it should be."""

    def disturbed(step: str) -> HookResult:
        injected = (
            _Chosen(random.Random(f"{case.seed} {step}"))
            if isinstance(case, Chance)
            else _At(case.fault, (case.number - 1) % expected.requests[step] + 1)
        )
        rule = proxy.on(injected.strikes, injected.fault, times=None)
        result = forks.run(proxy.kubeconfig, *command(subject, step))
        proxy.off(rule)
        retries = sum(number for verb, number in result.report["requests"].items() if verb.startswith("retried"))
        counted = [name for name in injected.done if name not in _UNCOUNTED]
        assert not counted or retries, f"{step}: {counted} happened, and no retry is told of: {result.report}"
        return result

    live_through(subject, expected, disturbed)


class _Chosen:
    """Chooses by chance which requests fail, and how."""

    def __init__(self, chance: random.Random) -> None:
        self.done: list[str] = []
        self._chance = chance
        self._lock = threading.Lock()

    def strikes(self, request: Request) -> bool:
        with self._lock:
            return self._chance.random() < _SHARE

    def fault(self, exchange: Exchange) -> None:
        watches = exchange.request.is_watch
        with self._lock:
            name = self._chance.choice(sorted(OF_WATCHES if watches else OF_REQUESTS))
            if not watches:
                self.done.append(name)
        (OF_WATCHES if watches else OF_REQUESTS)[name](exchange)


@dataclass(slots=True)
class _At:
    """One fault at the request of that number; a watch is passed over for the next request that is none."""

    name: str
    number: int
    done: list[str] = field(default_factory=list)

    def strikes(self, request: Request) -> bool:
        if self.done:
            return False
        self.number -= 1
        if self.number > 0 or request.is_watch:
            return False
        self.done.append(self.name)
        return True

    def fault(self, exchange: Exchange) -> None:
        OF_REQUESTS[self.name](exchange)


if __name__ == "__main__":
    main(__doc__, cases, faulty)
