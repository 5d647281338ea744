"""One prune on a server in memory: what it waits for, what it leaves to the next run, what the record says then."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

import pytest
import structlog

from hook.errors import PruneIncomplete
from hook.generations.installer_set import Entry, InstallerSet, Retirement
from hook.generations.marks import owner_label
from hook.handoff.pruning import Pruner
from hook.manifests.identity import Identity, Object
from hook.pruning.action import Action
from hook.pruning.order import PrunePhase
from tests.unit.handoff.histories.client import SETS, Script
from tests.unit.handoff.histories.promises import NAMESPACE
from tests.unit.handoff.histories.server import Server
from tests.unit.handoff.histories.world import World

ONE = Identity("", "ConfigMap", "x", "one")
SPACE = Identity("", "Namespace", "", "space")
GEAR = Identity("example.org", "Gear", "x", "gear")
WEB = Identity("apps", "Deployment", "x", "web")
ALL = tuple(PrunePhase)


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    yield
    structlog.reset_defaults()


class Room:
    """Component `red` whose old set lists some objects, and whose new set lists others."""

    def __init__(
        self, old: tuple[Identity, ...], new: tuple[Identity, ...] = (), *, script: Script | None = None
    ) -> None:
        self.world = World()
        self.server: Server = self.world.server
        for identity in {*old, *new}:
            self.put(identity)
        self.session = self.world._session("red", script or Script())
        self.old = self.record("red-static-old", old, retired=True)
        self.new = self.record("red-static-new", new)
        self.pruner = Pruner(self.session, (self.old,), (self.new,), frozenset(new))

    def put(self, identity: Identity, *, finalizers: tuple[str, ...] = (), **marks: str) -> None:
        labels = {owner_label(name): place for name, place in (marks or {"red": NAMESPACE}).items()}
        metadata: Object = {"name": identity.name, "uid": f"uid-{identity.name}", "generation": 1, "labels": labels}
        if identity.namespace:
            metadata["namespace"] = identity.namespace
        if finalizers:
            metadata["finalizers"] = list(finalizers)
        version = f"{identity.group}/v1" if identity.group else "v1"
        self.server.put(identity, {"apiVersion": version, "kind": identity.kind, "metadata": metadata})

    def record(self, name: str, listed: tuple[Identity, ...], *, retired: bool = False) -> InstallerSet:
        one = InstallerSet(
            NAMESPACE,
            "red",
            "",
            name.ljust(64, "0"),
            "static",
            "x",
            tuple(Entry(identity, "v1") for identity in listed),
            name=name,
            retired_by=Retirement("new", "2026-01-01T00:00:00Z") if retired else None,
        )
        return InstallerSet.from_object(self.server.create(SETS.identity(NAMESPACE, name), one.to_object()))

    def sets(self) -> dict[str, InstallerSet]:
        return {one.name: one for one in self.world.promises.sets("red")}

    def why(self, name: str) -> dict[str, str]:
        return dict(self.session.journal.listed(name))


def test_what_is_gone_leaves_the_record_and_an_empty_old_set_goes() -> None:
    room = Room((ONE,))
    room.pruner.run(ALL)
    room.pruner.close()
    assert ONE not in room.server.objects
    assert room.sets().keys() == {"red-static-new"}
    assert room.session.journal.counts["pruned"] == 1


def test_what_is_kept_by_rule_is_in_a_living_set_before_it_leaves_the_old_one() -> None:
    room = Room((SPACE,))
    room.pruner.run(ALL)
    assert [entry.identity for entry in room.sets()["red-static-new"].retained] == [SPACE]
    assert [entry.identity for entry in room.sets()["red-static-old"].resources] == [SPACE]
    room.pruner.close()
    assert room.sets().keys() == {"red-static-new"}


def test_what_is_desired_stays_though_somebody_deletes_the_set_that_lists_it() -> None:
    room = Room((ONE,), (ONE,))
    pruner = Pruner(room.session, (room.old,), (), frozenset({ONE}))
    pruner.run(ALL)
    assert ONE in room.server.objects
    assert pruner.settled[ONE].action is Action.KEEP


def test_a_kept_object_whose_set_somebody_deletes_stays_in_the_old_record() -> None:
    room = Room((SPACE,))
    room.server.put(SETS.identity(NAMESPACE, "red-static-new"), None)
    with pytest.raises(PruneIncomplete):
        room.pruner.run(ALL)
    room.pruner.close()
    assert [entry.identity for entry in room.sets()["red-static-old"].resources] == [SPACE]


def test_a_group_that_does_not_answer_stays_recorded_and_the_rest_goes() -> None:
    room = Room((ONE, GEAR), script=Script(down=frozenset({"example.org"})))
    room.pruner.run(ALL)
    room.pruner.close()
    assert ONE not in room.server.objects
    assert [entry.identity for entry in room.sets()["red-static-old"].resources] == [GEAR]
    assert "not available" in room.pruner.incomplete[GEAR]


def test_when_the_time_is_over_all_that_is_left_is_told_and_stays_recorded() -> None:
    room = Room((ONE, WEB))
    room.server.put(WEB, terminating(room, WEB))
    with pytest.raises(PruneIncomplete) as raised:
        room.pruner.run(ALL)
    assert room.pruner.incomplete.keys() == {ONE, WEB}
    assert "before its turn" in room.pruner.incomplete[ONE]
    assert len(raised.value.details) == 2
    room.pruner.close()
    assert {entry.identity for entry in room.sets()["red-static-old"].resources} == {ONE, WEB}


def terminating(room: Room, identity: Identity) -> Object:
    obj = copy.deepcopy(room.server.objects[identity])
    obj["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    obj["metadata"]["finalizers"] = ["foregroundDeletion", "example.org/cleanup"]
    return obj


def test_what_somebody_creates_again_is_named_and_not_deleted_twice() -> None:
    meanwhile: dict[int, Callable[[], None]] = {}
    room = Room((ONE,), script=Script(meanwhile=meanwhile))

    def create() -> None:
        room.put(ONE)
        room.server.objects[ONE]["metadata"]["uid"] = "uid-new"

    meanwhile[3] = create  # before the read that is to find it gone
    room.pruner.run(ALL)
    assert "created it again" in room.pruner.incomplete[ONE]
    assert room.server.objects[ONE]["metadata"]["uid"] == "uid-new"


def test_an_adoption_between_read_and_delete_wins() -> None:
    room = Room((ONE,), script=Script(meanwhile={2: lambda: room.put(ONE, red=NAMESPACE, blue=NAMESPACE)}))
    room.pruner.run(ALL)
    assert room.pruner.settled[ONE].action is Action.GIVE_UP
    labels = room.server.objects[ONE]["metadata"]["labels"]
    assert labels == {owner_label("blue"): NAMESPACE}
    assert room.why("handedOver") == {"ConfigMap x/one": "handed over to blue"}
