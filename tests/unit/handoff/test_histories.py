"""Random histories of several components on one server: whatever comes together, the promises are kept.

Generations come and go, are killed at any write, never become ready, meet one another at the same moment, lose an
API group, and people delete and edit what they should not. `HANDOFF_HISTORIES` says how many are tried; the same
number is the same history each time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import structlog

from tests.unit.handoff.histories.client import Script
from tests.unit.handoff.histories.world import COMPONENTS, NAMES, World

_COUNT = int(os.environ.get("HANDOFF_HISTORIES", "150"))
_BATCHES = 10
_GROUPS = (frozenset[str](), frozenset[str](), frozenset({"example.org"}))

Step = tuple[str, dict[str, Any]]


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Thousands of runs would tell what they do."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger("critical"))
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("batch", range(_BATCHES))
def test_promises_are_kept_in_every_history(batch: int) -> None:
    for number in range(batch, _COUNT, _BATCHES):
        history = history_of(number)
        try:
            tell(history)
        except Exception as error:
            shortest = shortened(history, type(error))
            lines = "\n".join(map(str, shortest))
            raise AssertionError(f"history {number} breaks a promise: {error}; it comes down to\n{lines}") from error


def history_of(number: int) -> list[Step]:
    """The history of that number."""
    random = Random(number)
    return [a_step(random, depth=1) for _ in range(random.randint(3, 9))]


def tell(history: list[Step]) -> None:
    """Lets it happen, then brings every component to where it was last told to be."""
    world = World()
    for step in history:
        perform(world, step)
    for component in COMPONENTS:
        world.settled(component)


def shortened(history: list[Step], error: type[Exception]) -> list[Step]:
    """The same history without the steps that do not matter."""
    for place in range(len(history) - 1, -1, -1):
        shorter = history[:place] + history[place + 1 :]
        try:
            tell(shorter)
        except error:
            history = shorter
        except Exception:  # it breaks in another way: the step does matter
            continue
    return history


def a_step(random: Random, depth: int) -> Step:
    kind = random.choices(["run", "remove", "people"], [12, 1, 3])[0]
    if kind == "run":
        return "run", a_run(random, depth)
    if kind == "remove":
        return "remove", {"component": a_component(random), **a_death(random)}
    what = random.choice(["deletes", "makes", "unmarks", "deletes_a_set", "edits_a_set"])
    if what in ("deletes", "makes", "unmarks"):
        return what, {"name": random.choice(NAMES)}
    if what == "deletes_a_set":
        return what, {"number": random.randrange(9)}
    edit = random.choice(["forget", "all", "itself", "retire", "status"])
    return what, {"number": random.randrange(9), "edit": edit}


def a_run(random: Random, depth: int) -> dict[str, Any]:
    names = random.sample(NAMES, random.randint(0, 6))
    others = random.randint(0, 2) if depth else 0
    return {
        "component": a_component(random),
        "content": {name: random.randrange(3) for name in names},
        "comes_up": random.random() < 0.8,
        "down": random.choice(_GROUPS),
        "meanwhile": {random.randint(1, 50): a_step(random, depth - 1) for _ in range(others)},
        **a_death(random),
    }


def a_component(random: Random) -> str:
    return random.choices(COMPONENTS, [3, 2, 1])[0]


def a_death(random: Random) -> dict[str, Any]:
    return {"kill": random.randint(1, 14) if random.random() < 0.35 else None, "after": random.random() < 0.5}


def perform(world: World, step: Step) -> None:
    what, facts = step
    if what == "run":
        meanwhile = {number: later(world, other) for number, other in facts["meanwhile"].items()}
        script = Script(facts["kill"], facts["after"], meanwhile, facts["down"])
        world.run(facts["component"], facts["content"], script, comes_up=facts["comes_up"])
    elif what == "remove":
        world.remove(facts["component"], Script(facts["kill"], facts["after"]))
    else:
        getattr(world, f"somebody_{what}")(**facts)


def later(world: World, step: Step) -> Callable[[], None]:
    return lambda: perform(world, step)
