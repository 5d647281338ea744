"""One component's life, from its first install to its removal, with something in the way of each step.

After each step everything must stand as if nothing had been in the way.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.cluster.probe import Probe, targets_of
from tests.cluster.proxy import Proxy, Request
from tests.hook_process import HookResult
from tests.sweeps.forks import Forks
from tests.sweeps.subject import Subject

STEPS = ("install", "upgrade", "revert", "remove")
# Which version is there before a step, and after it; 0 for none.
VERSIONS = {"install": (0, 1), "upgrade": (1, 2), "revert": (2, 1), "remove": (1, 0)}
_PATIENCE = 300.0  # seconds for the probe to start, on a machine that is busy with other lives


def is_write(request: Request) -> bool:
    """Whether it is to change something, the Lease included."""
    return request.is_write


def command(subject: Subject, step: str) -> list[str]:
    """The arguments of the hook for a step."""
    version = VERSIONS[step][1]
    return subject.run(version) if version else subject.remove()


@dataclass(slots=True)
class Expected:
    """What stands after each step, and how many writes it takes, as seen where nothing was in the way."""

    states: dict[str, Any] = field(default_factory=dict)
    writes: dict[str, int] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)


Disturbed = Callable[[str], HookResult]  # a step, in whatever way; returns the result of the run that came through


def live_through(subject: Subject, expected: Expected, disturbed: Disturbed) -> None:
    """Does all steps. Raises AssertionError naming the step after which something is not as it should be, or during
    which something that both versions have was not there for a moment."""
    with contextlib.ExitStack() as stack:
        for step in STEPS:
            if step == subject.STANDS_FROM:
                probe = Probe(
                    subject.kubeconfig, targets_of(subject.api, subject.shared(), namespace=subject.namespace)
                )
                probe.start(patience=_PATIENCE)
                stack.push(probe)
            result = disturbed(step)
            assert result.exit_code == 0, f"{step}: {result}"
            state = subject.state()
            assert state == expected.states[step], f"{step}: {_difference(state, expected.states[step])}"
            if step == "revert":
                gone = probe.stop().gone()
                assert not gone, f"not there all the time: {'; '.join(str(each) for each in gone)}"


def look(subject: Subject, forks: Forks, proxy: Proxy) -> Expected:
    """What is to be expected: each step done once, undisturbed."""
    expected = Expected()
    for step in STEPS:
        proxy.forget()
        result = forks.run(proxy.kubeconfig, *command(subject, step))
        assert result.exit_code == 0, f"{step}, undisturbed: {result}"
        expected.states[step] = subject.state()
        requests = [recorded.request for recorded in proxy.requests]
        expected.writes[step] = sum(map(is_write, requests))
        expected.requests[step] = len(requests)
    left = expected.states["remove"]
    assert left == subject.NOTHING, f"left after the removal: {left}"
    return expected


def _difference(found: Any, wanted: Any, path: str = "") -> str:
    if isinstance(found, dict) and isinstance(wanted, dict):
        lines = [
            _difference(found.get(key, "(absent)"), wanted.get(key, "(absent)"), f"{path}/{key}")
            for key in sorted({*found, *wanted})
            if found.get(key, "(absent)") != wanted.get(key, "(absent)")
        ]
        return "; ".join(lines)
    return f"{path}: {json.dumps(found)[:600]} instead of {json.dumps(wanted)[:600]}"
