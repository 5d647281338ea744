"""Many lives, some at a time, on one control plane; and the command line of a sweep."""

from __future__ import annotations

import argparse
import contextlib
import queue
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from tests.cluster.cluster import Cluster, start_cluster
from tests.cluster.proxy import Proxy
from tests.sweeps.chain import Expected, look
from tests.sweeps.forks import Forks
from tests.sweeps.operated import OperatedSubject
from tests.sweeps.subject import Subject
from tests.tekton.process import OperatorProcess

Case = TypeVar("Case")
_TURN = 0.618  # of a stretch: no few of them make a whole one

Life = Callable[[Subject, Forks, Proxy, Expected, Case], None]


def expectation(cluster: Cluster, directory: Path, kind: type[Subject] = Subject) -> Expected:
    """What an undisturbed life is like on this cluster."""
    expected = Expected()
    with Forks() as forks, Proxy(cluster.kubeconfig) as proxy:
        # The first life of all brings the definition of InstallerSets, which stays.
        for _ in range(2):
            subject = _subject(cluster, directory, kind)
            expected = look(subject, forks, proxy)
            subject.destroy()
    return expected


def sweep(
    cluster: Cluster,
    directory: Path,
    expected: Expected,
    cases: Sequence[Case],
    life: Life[Case],
    *,
    kind: type[Subject] = Subject,
    workers: int = 3,
    tell: Callable[[str], None] = lambda _line: None,
) -> list[str]:
    """Lives each case; returns what went wrong, a text each. A life is mostly waiting, so that several go together."""
    todo: queue.SimpleQueue[Case] = queue.SimpleQueue()
    for case in cases:
        todo.put(case)
    failures: list[str] = []

    def work() -> None:
        with Forks() as forks:
            while True:
                try:
                    case = todo.get_nowait()
                except queue.Empty:
                    return
                began = time.monotonic()
                failure = _live(_subject(cluster, directory, kind), cluster, expected, case, life, forks)
                if failure:
                    failures.append(failure)
                tell(f"{'FAILED' if failure else 'fine'} in {time.monotonic() - began:.0f} s: {failure or case}")

    threads = [threading.Thread(target=work) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def spread(cases: Iterable[Case], count: int) -> list[Case]:
    """So many of them, from all over; all where there are no more. One of each stretch, not always at the same place of
    it: cases come in turns, and all would be of one kind."""
    listed = list(cases)
    if len(listed) <= count:
        return listed
    stretch = len(listed) / count
    return [listed[int((number + (number * _TURN + 0.5) % 1) * stretch)] for number in range(count)]


def main(text: str | None, cases: Callable[[Expected], Iterable[Case]], life: Life[Case]) -> None:
    """The command line. Ends the process: 0 when all went well."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="only so many cases, from all over")
    parser.add_argument("--only", default="", help="only cases with this text in their description")
    parser.add_argument("--workers", type=int, default=3, help="lives at a time")
    parser.add_argument("--tekton", action="store_true", help="a component that the Tekton operator keeps")
    parser.add_argument("--kubeconfig", type=Path, help="use this cluster instead of one of its own")
    options = parser.parse_args()
    cluster = Cluster(options.kubeconfig) if options.kubeconfig else start_cluster()
    began = time.monotonic()
    kind = OperatedSubject if options.tekton else Subject
    operator = OperatorProcess(cluster) if options.tekton else contextlib.nullcontext()
    with cluster, operator, tempfile.TemporaryDirectory(prefix="handoff-sweep-") as place:
        expected = expectation(cluster, Path(place), kind)
        chosen = [case for case in cases(expected) if options.only in str(case)]
        chosen = spread(chosen, options.sample or len(chosen))
        _say(f"{len(chosen)} lives; writes of a step: {expected.writes}")
        failures = sweep(cluster, Path(place), expected, chosen, life, kind=kind, workers=options.workers, tell=_say)
    _say(f"{len(chosen)} lives in {time.monotonic() - began:.0f} s: {len(failures)} failed")
    sys.exit(1 if failures else 0)


def _live(subject: Subject, cluster: Cluster, expected: Expected, case: Case, life: Life[Case], forks: Forks) -> str:
    try:
        with Proxy(cluster.kubeconfig) as proxy:
            life(subject, forks, proxy, expected, case)
    except AssertionError as error:
        return f"{case}: {error}"
    except Exception:
        return f"{case}: {traceback.format_exc()}"
    subject.destroy()
    return ""


def _subject(cluster: Cluster, directory: Path, kind: type[Subject]) -> Subject:
    return kind.create(cluster.api, cluster.kubeconfig, f"life-{uuid.uuid4().hex[:10]}", directory)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
