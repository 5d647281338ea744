"""What somebody else can do to a live object, one change at a time, found by trying what the server allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.cluster.api import Api
from tests.cluster.probe import Target
from tests.live_objects import Object, meant

SOMEBODY = {"fieldManager": "somebody"}
_TRIES = 30
# What can be changed of a definition without harm to the cluster that everything else is tested in.
_HARMLESS_IN_DEFINITIONS = ("schema", "additionalPrinterColumns")
# What tells the items of a list apart. Somebody who changes it takes our item out and puts one of their own in, which
# then stays beside ours.
_KEYS = ("name", "port", "containerPort", "protocol", "mountPath")

Path = tuple[str | int, ...]


def patch(api: Api, target: Target, operations: list[Object], *, dry: bool = False) -> Object | None:
    """A JSON patch as somebody; the object that came of it, None where it was refused."""
    query = {**SOMEBODY, "dryRun": "All"} if dry else SOMEBODY
    answer = api.request("PATCH", target.path, operations, query=query, content_type="application/json-patch+json")
    return answer.body if answer.status == 200 else None


def change_a_value(api: Api, target: Target, manifest: Object, live: Object, turn: int) -> bool:
    """Gives one leaf of the manifest another value. False where the server allows none."""
    return _first(api, target, manifest, live, turn, lambda path, value: _replace(path, value))


def remove_a_field(api: Api, target: Target, manifest: Object, live: Object, turn: int) -> bool:
    """Removes one leaf of the manifest. False where the server allows none."""
    return _first(api, target, manifest, live, turn, lambda path, _: {"op": "remove", "path": pointer(path)})


def pointer(path: Path) -> str:
    """The path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _replace(path: Path, value: Any) -> Object:
    other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else f"{value}x"
    return {"op": "replace", "path": pointer(path), "value": other}


def _first(
    api: Api, target: Target, manifest: Object, live: Object, turn: int, change: Callable[[Path, Any], Object]
) -> bool:
    """`turn` makes objects of one kind be changed at different places."""
    found = [path for path in _leaves(manifest) if _may_change(target, path) and _at(live, path) == _at(manifest, path)]
    body = [path for path in found if path[0] != "metadata"]
    start = turn * 7 % len(body) if body else 0
    labels = [path for path in found if path[0] == "metadata"]
    for path in [*body[start:], *body[:start], *labels][:_TRIES]:
        operations = [change(path, _at(manifest, path))]
        tried = patch(api, target, operations, dry=True)
        if tried is not None and meant(tried) != meant(live):
            assert patch(api, target, operations) is not None
            return True
    return False


def _may_change(target: Target, path: Path) -> bool:
    if path[0] in ("apiVersion", "kind") or path[:2] in (("metadata", "name"), ("metadata", "namespace")):
        return False
    if len(path) > 2 and isinstance(path[-2], int) and path[-1] in _KEYS and path[0] != "subjects":
        return False
    if target.kind == "CustomResourceDefinition":
        return path[0] == "metadata" or any(step in _HARMLESS_IN_DEFINITIONS for step in path)
    return True


def _leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    steps = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    for step, child in steps:
        yield from _leaves(child, (*path, step))
    if not steps and isinstance(value, str | int):
        yield path


def _at(value: Any, path: Path) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
