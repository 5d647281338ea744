"""What is waited for, kept up to date by one LIST and one watch a kind."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from hook.cluster.resource_type import ResourceType
from hook.cluster.watch import Event, EventType, Watch
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Object

_GLANCE = 0.2  # seconds between two looks at whether the run is to end


@dataclass(frozen=True, slots=True)
class Scope:
    """What one watch covers; `namespace` "" is all of them, `labels` a selector in the form of a query."""

    type: ResourceType
    namespace: str = ""
    labels: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """What changed since the last look: wanted resources, and whether anything else did."""

    changed: frozenset[Identity]
    related: bool


class Watches:
    """A context manager: threads run inside of it. What is watched may be added to at any time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._feeds: dict[Scope, _Feed] = {}
        self._wanted: dict[Identity, Scope] = {}
        self._dirty: set[Identity] = set()
        self._related = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()

    def __enter__(self) -> Watches:
        return self

    def __exit__(self, *_: object) -> None:
        for feed in self._feeds.values():
            feed.close()

    def want(self, wanted: Collection[tuple[ResourceType, Identity]]) -> None:
        """Watch these resources, by one watch a kind; to be called once."""
        namespaces: dict[ResourceType, set[str]] = defaultdict(set)
        for found, identity in wanted:
            namespaces[found].add(identity.namespace)
        together = {found: self._all_at_once(found, names) for found, names in namespaces.items()}
        scoped: dict[Scope, set[Identity]] = defaultdict(set)
        for found, identity in wanted:
            scope = Scope(found, "" if together[found] else identity.namespace)
            scoped[scope].add(identity)
            self._wanted[identity] = scope
        for scope, identities in scoped.items():
            self._start(scope, frozenset(identities))

    def follow(self, scope: Scope) -> None:
        """Watch everything in a scope, as news about something else."""
        if scope not in self._feeds:
            self._start(scope, None)

    def get(self, identity: Identity) -> Object | None:
        """A wanted resource as last seen; None when it is not there, which is certain once `synced`."""
        with self._changed:
            return self._feeds[self._wanted[identity]].objects.get(identity)

    def last(self, identity: Identity) -> Object | None:
        """The last state of a wanted resource that was seen to be deleted."""
        with self._changed:
            return self._feeds[self._wanted[identity]].gone.get(identity)

    def items(self, scope: Scope) -> list[Object] | None:
        """Everything in a scope that is followed; None where it is not, or was not listed yet."""
        with self._changed:
            feed = self._feeds.get(scope)
            return list(feed.objects.values()) if feed is not None and feed.synced else None

    def synced(self) -> bool:
        """Whether every kind was listed once, so that what is not seen is not there."""
        with self._changed:
            return all(feed.synced for feed in self._feeds.values())

    def news(self, seconds: float) -> News:
        """Wait for news, no longer than `seconds`. Raises what ended a watch, and Terminated soon after SIGTERM."""
        until = time.monotonic() + seconds
        with self._changed:
            while not (self._dirty or self._related or self._error) and (left := until - time.monotonic()) > 0:
                self._session.objects.connection.check_stop()
                self._changed.wait(min(left, _GLANCE))
            if self._error is not None:
                raise self._error
            news = News(frozenset(self._dirty), self._related)
            self._dirty, self._related = set(), False
            return news

    def trouble(self) -> list[str]:
        """Why a kind is not up to date at the moment, a line each."""
        return [feed.watch.trouble for feed in self._feeds.values() if feed.watch.trouble]

    def _all_at_once(self, found: ResourceType, namespaces: Collection[str]) -> bool:
        """Within one namespace the rights of that namespace are enough; of several not everybody may see all."""
        if len(namespaces) == 1:
            return "" in namespaces
        return self._session.objects.review_access(found.group, found.plural, "watch").allowed

    def _start(self, scope: Scope, wanted: frozenset[Identity] | None) -> None:
        watch = Watch(self._session.objects, scope.type, scope.namespace or None, label_selector=scope.labels or None)
        feed = _Feed(scope.type, wanted, watch)
        self._feeds[scope] = feed
        feed.thread = threading.Thread(
            target=self._run, args=(feed,), daemon=True, name=f"watch {scope.type.kind} {scope.namespace}"
        )
        feed.thread.start()

    def _run(self, feed: _Feed) -> None:
        try:
            for event in feed.watch:
                with self._changed:
                    changed = feed.take(event)
                    if feed.wanted is None:
                        self._related = True
                    else:
                        self._dirty |= changed
                    self._changed.notify_all()
        except BaseException as error:  # handed to the thread that waits
            with self._changed:
                self._error = error
                self._changed.notify_all()


class _Feed:
    """One watch and what it has seen. `wanted` None keeps everything."""

    def __init__(self, found: ResourceType, wanted: frozenset[Identity] | None, watch: Watch) -> None:
        self.type = found
        self.wanted = wanted
        self.watch = watch
        self.objects: dict[Identity, Object] = {}
        self.gone: dict[Identity, Object] = {}
        self.synced = False
        self.thread: threading.Thread | None = None

    def take(self, event: Event) -> set[Identity]:
        """Returns the resources that may have changed."""
        if event.type is EventType.SYNC:
            before = set(self.objects) | set(self.wanted or ())
            self.objects = {i: _slim(item) for item in event.items if self._keeps(i := _identity(self.type, item))}
            self.synced = True
            return before | set(self.objects)
        if event.object is None or not self._keeps(identity := _identity(self.type, event.object)):
            return set()
        if event.type is not EventType.DELETED:
            self.objects[identity] = _slim(event.object)
        else:
            self.objects.pop(identity, None)
            if self.wanted is not None:
                self.gone[identity] = _slim(event.object)
        return {identity}

    def close(self) -> None:
        self.watch.close()
        if self.thread is not None:
            self.thread.join(timeout=1.0)

    def _keeps(self, identity: Identity) -> bool:
        return self.wanted is None or identity in self.wanted


def _identity(found: ResourceType, item: Object) -> Identity:
    metadata = item["metadata"]
    return Identity(found.group, found.kind, metadata.get("namespace") or "", metadata["name"])


def _slim(item: Object) -> Object:
    """Of managedFields only who wrote when: what they own is the bulk of an object, and would be kept for hours."""
    entries = [
        {key: entry[key] for key in ("manager", "subresource", "time") if key in entry}
        for entry in item["metadata"].get("managedFields") or ()
    ]
    return {**item, "metadata": {**item["metadata"], "managedFields": entries}}
