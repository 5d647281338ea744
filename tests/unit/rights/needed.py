"""What an input needs, for tests that look at a part of it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from hook.manifests.load import load, place
from hook.manifests.manifest import Manifest
from hook.manifests.reader import read_documents
from hook.rights.kinds import KnownKinds
from hook.rights.needs import Needs
from hook.rights.right import Need, Right


def manifests(text: str) -> tuple[Manifest, ...]:
    return load(read_documents(dedent(text).encode(), "input.yaml")).items


def needs(text: str, previous: str = "", **more: Any) -> Needs:
    """Of two inputs, both placed in the namespace `shop`; the sets live in `sets`."""
    now, before = manifests(text), manifests(previous)
    kinds = KnownKinds.defined_by(m.obj for m in (*now, *before))
    now, before = (place(some, "shop", kinds.namespaced) for some in (now, before))
    return Needs(component="shop", namespace="sets", manifests=now, previous=before, kinds=kinds, **more)


def rights(text: str, previous: str = "", need: Need | None = None, **more: Any) -> set[Right]:
    return {one.right for one in needs(text, previous, **more).rights() if need in (None, one.need)}


def on(found: set[Right], plural: str, name: str | None = None) -> set[str]:
    """The verbs on a resource (of that name; "" is any)."""
    return {right.verb for right in found if right.resource == plural and name in (None, right.name)}
