"""Wait: until every resource of the desired generation is Ready, and still is at a second read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hook.cluster.resource_type import ResourceType
from hook.generations.generation import Generation
from hook.handoff.bulletin import Bulletin
from hook.handoff.endpoints import EndpointsFollowed, deciding_services
from hook.handoff.related import LiveRelated, NotTold
from hook.handoff.second_read import check_presence, read_whole
from hook.handoff.session import Session
from hook.handoff.switching import Switches
from hook.handoff.verdicts import Verdicts
from hook.handoff.watches import Watches
from hook.manifests.identity import Identity, Kind, Object
from hook.readiness.assess import min_ready_seconds, needs_status
from hook.readiness.rules import Rules
from hook.readiness.timeouts import time_limit

_TICK = 1.0  # seconds: what no watch tells (Services, grace periods) is looked at this often
_QUICK_TICK = 0.2  # ... and this often while discovery is waited for, which nothing announces
_STABLE = 1.0  # seconds between the two reads that must both be Ready
_ANNOUNCED_LATE = frozenset({Kind("apiextensions.k8s.io", "CustomResourceDefinition")})

Condition = Callable[[LiveRelated], bool]


@dataclass(slots=True)
class Waiter:
    """Waits for one generation, or for what a wave of it needs, and tells what for."""

    session: Session
    generation: Generation
    switches: Switches
    rules: Rules
    bulletin: Bulletin
    twice: bool = True  # two Ready reads, some time apart
    _manifests: dict[Identity, Object] = field(init=False)
    _swept_at: float = float("-inf")

    def __post_init__(self) -> None:
        self._manifests = {m.identity: m.obj for m in self.generation.manifests}

    def wait(self) -> None:
        """Return when all is Ready, twice.

        Raises WorkloadFailed at once for what cannot become so, Unreachable for what somebody takes away, or the
        deadline's error naming what was waited for.
        """
        watched = self._watched(applied_only=False)
        started = time.monotonic()
        with self._looking(watched) as (watches, verdicts, _):
            steady: dict[Identity, tuple[str, int]] | None = None
            ready_at = 0.0
            patience = _TICK
            while True:
                self._look(watches, verdicts, watched, patience)
                if verdicts.open() or not watches.synced():
                    steady = None
                    patience = self._tell(watches, verdicts, started)
                    continue
                if not self.twice:
                    return
                seen = _states(watches, watched)
                if seen != steady:
                    steady, ready_at = seen, time.monotonic()
                left = ready_at + self._stability(watches, watched) - time.monotonic()
                if left > 0:
                    self.session.deadline.check("waiting for the second Ready read")
                    patience = left
                    continue
                if self._proven(verdicts, watched, steady):
                    return
                steady = None

    def until(self, condition: Condition, what: str) -> None:
        """Return when `condition` holds; `what` says in words what is waited for.

        It is looked at whenever something changes. Of what was applied so far nothing has to be ready, but what has
        failed for good ends the wait. Raises as `wait`.
        """
        watched = self._watched(applied_only=True)
        started = time.monotonic()
        with self._looking(watched) as (watches, verdicts, related):
            while not _holds(condition, related):
                self._look(watches, verdicts, watched, _QUICK_TICK)
                if watches.synced():
                    self._tell(watches, verdicts, started, what)
                else:
                    self.session.deadline.check(what)

    def glance(self) -> None:
        """Look once at what was applied so far. Raises WorkloadFailed if something of it has failed for good."""
        watched = self._watched(applied_only=True)
        related = LiveRelated(self.session, self._manifests)
        verdicts = Verdicts(self.session, self._manifests, self.rules, related, self.bulletin)
        for identity, obj in read_whole(self.session, watched).items():
            verdicts.put(identity, verdicts.judge(identity, obj))
        verdicts.end_if_hopeless()
        self.bulletin.post(verdicts.obstacles())

    @contextmanager
    def _looking(self, watched: dict[Identity, ResourceType]) -> Iterator[tuple[Watches, Verdicts, LiveRelated]]:
        self._swept_at = float("-inf")
        with Watches(self.session) as watches:
            watches.want([(found, identity) for identity, found in watched.items()])
            followed = EndpointsFollowed(self.session, watches, deciding_services(self._manifests))
            self.switches.follow(watches)
            related = LiveRelated(self.session, self._manifests, followed)
            yield watches, Verdicts(self.session, self._manifests, self.rules, related, self.bulletin), related
        self.bulletin.close()

    def _watched(self, *, applied_only: bool) -> dict[Identity, ResourceType]:
        found = {}
        for manifest in self.generation.manifests:
            identity = manifest.identity
            own_rule = self.rules.rule_for(manifest.obj, identity.of_kind) is not None
            if identity in self.session.absent or (applied_only and identity not in self.session.facts):
                continue
            if needs_status(identity.of_kind, manifest.obj) or own_rule:
                found[identity] = self.session.require_type(identity.of_kind, manifest.version)
        return found

    def _look(
        self, watches: Watches, verdicts: Verdicts, watched: dict[Identity, ResourceType], patience: float
    ) -> None:
        news = watches.news(max(0.0, min(patience, self.session.deadline.remaining())))
        self.switches.switch(watches)
        if not watches.synced():
            return
        now = time.monotonic()
        if self._swept_at == float("-inf"):
            verdicts.look(watches, watched)
        elif news.related or now - self._swept_at >= min(patience, _TICK):
            verdicts.look(watches, {*news.changed, *verdicts.open()})
        else:
            verdicts.look(watches, news.changed)
            now = self._swept_at
        self._swept_at = now
        verdicts.end_if_hopeless()

    def _tell(self, watches: Watches, verdicts: Verdicts, started: float, what: str = "") -> float:
        """Say what is waited for, and end when the time is over; returns the seconds until the next look."""
        if not watches.synced():
            self.session.deadline.check("the cluster is being looked at", tuple(watches.trouble()))
            return _QUICK_TICK
        open_ = verdicts.open()
        late = [i for i in open_ if (limit := self._limit(i)) is not None and time.monotonic() - started > limit]
        if late or self.session.deadline.remaining() <= 0:
            told = what or "waiting for the desired generation"
            if late:
                told = f"waiting for {late[0]}, which has a limit of {self._limit(late[0]):g} s of its own"
            lines = [str(one) for one in verdicts.obstacles(now=True)]
            self.bulletin.post(verdicts.obstacles(), [what] if what else [])
            raise self.session.deadline.passed(told, (*lines, *watches.trouble()))
        self.bulletin.post(verdicts.obstacles(), [what] if what else [])
        return _QUICK_TICK if any(identity.of_kind in _ANNOUNCED_LATE for identity in open_) else _TICK

    def _limit(self, identity: Identity) -> float | None:
        return time_limit(self._manifests[identity])

    def _stability(self, watches: Watches, watched: dict[Identity, ResourceType]) -> float:
        objects = (watches.get(identity) for identity in watched)
        return max([_STABLE, *(float(min_ready_seconds(obj)) for obj in objects if obj is not None)])

    def _proven(
        self, verdicts: Verdicts, watched: dict[Identity, ResourceType], steady: dict[Identity, tuple[str, int]]
    ) -> bool:
        """Read everything again, apart from the watches: still Ready, at the same generations."""
        fresh = LiveRelated(self.session, self._manifests)
        whole = read_whole(self.session, watched)
        same = True
        for identity in watched:
            obj = whole.get(identity)
            verdict = verdicts.judge(identity, obj, fresh)
            verdicts.put(identity, verdict)
            if not verdict.ready or (obj is not None and _state(obj) != steady.get(identity)):
                same = False
        check_presence(self.session, self.generation, watched)
        return same


def _states(watches: Watches, watched: dict[Identity, ResourceType]) -> dict[Identity, tuple[str, int]]:
    return {identity: _state(obj) for identity in watched if (obj := watches.get(identity)) is not None}


def _state(obj: Object) -> tuple[str, int]:
    return obj["metadata"]["uid"], obj["metadata"].get("generation", 0)


def _holds(condition: Condition, related: LiveRelated) -> bool:
    try:
        return condition(related)
    except NotTold:
        return False
