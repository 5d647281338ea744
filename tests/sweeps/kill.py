"""Kills the hook (SIGKILL) before and after every single write of a component's life: `python -m tests.sweeps.kill`.

After each kill the run is started again and must come to its end; then the next step is begun, and killed at its own
place. With `--then twice` the second run is killed too, with `--then other` the run that follows is for the version
that was there before. With `--tekton` the component is one that the Tekton operator keeps, and what is killed first is
the run that takes its own sets over.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.cluster.proxy import Proxy
from tests.hook_process import HookResult
from tests.sweeps.chain import STEPS, VERSIONS, Expected, command, is_write, live_through
from tests.sweeps.forks import Forks
from tests.sweeps.subject import Subject
from tests.sweeps.sweep import main

THEN = ("again", "twice", "other")


@dataclass(frozen=True, slots=True)
class Kill:
    """At which write of each step (counted from 1; beyond its last one, counted on from its first), and what then."""

    number: int
    after: bool
    then: str = "again"

    def __str__(self) -> str:
        return f"killed {'after' if self.after else 'before'} write {self.number} of each step, then {self.then}"


def kills(expected: Expected, then: Sequence[str] = THEN) -> Iterator[Kill]:
    """Each place in which at least one step has a write."""
    for number in range(1, max(expected.writes.values()) + 1):
        for after in (False, True):
            for each in then:
                yield Kill(number, after, each)


def killed(subject: Subject, forks: Forks, proxy: Proxy, expected: Expected, kill: Kill) -> None:
    """One life, each step killed once or twice. Raises AssertionError with what is not as it should be."""

    def disturbed(step: str) -> HookResult:
        number = (kill.number - 1) % expected.writes[step] + 1
        _kill(subject, forks, proxy, step, number, kill.after)
        if kill.then == "twice":
            _kill(subject, forks, proxy, step, max(1, number // 2), not kill.after)
        if kill.then == "other" and step in ("upgrade", "revert"):
            before = STEPS[STEPS.index(step) - 1]
            result = forks.run(proxy.kubeconfig, *command(subject, before))
            assert result.exit_code == 0, f"{step}, then back: {result}"
        return forks.run(proxy.kubeconfig, *command(subject, step))

    live_through(subject, expected, disturbed)


def _kill(subject: Subject, forks: Forks, proxy: Proxy, step: str, number: int, after: bool) -> None:
    """Starts a step and kills it; nothing happens where it has fewer writes left than that."""
    before = VERSIONS[step][0]
    uids = subject.uids(before) if before else {}
    hold = proxy.hold(is_write, number=number, after=after)
    with forks.start(proxy.kubeconfig, *command(subject, step)) as fork:
        if fork.until(lambda: hold.reached):
            hold.wait()
            fork.send(signal.SIGKILL)
            fork.wait()
            hold.drop()
            if before and subject.stands(before):
                assert subject.uids(before) == uids, f"{step}: something was gone before anything was retired"
        else:
            result = fork.wait()
            assert result.exit_code == 0, f"{step}: {result}"
    proxy.lift(hold)
    subject.free_lease()


if __name__ == "__main__":
    main(__doc__, kills, killed)
