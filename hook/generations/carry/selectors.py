"""Selectors of Services: traffic goes to the old pods until a new one can take it."""

from __future__ import annotations

from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields
from hook.manifests.identity import Object


def changed_selector(desired: Object, live: Object) -> dict[str, str] | None:
    """The selector to switch to when a pod that it matches is Ready; None when there is nothing to switch."""
    wanted = _selector(desired)
    return wanted if wanted and wanted != _selector(live) and not _external(desired) else None


def carry_selector(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """The live selector stays, or stays away where the live Service has none."""
    wanted, present = _selector(body), _selector(live)
    if wanted == present or _external(body):
        return []
    spec = body.setdefault("spec", {})
    if present:
        spec["selector"] = dict(present)
        until = "a pod that the new one matches is Ready" if wanted else "the old pods are gone"
        return [Kept(f"selector {_shown(present)} until {until}", present)]
    spec.pop("selector", None)
    return [Kept("no selector until a pod that the new one matches is Ready")]


def lost_selector(desired: Object, live: Object, owned: Fields) -> list[str]:
    """A selector that changes moves all traffic at once, however many new pods are Ready by then."""
    wanted = changed_selector(desired, live)
    if not wanted:
        return []
    return [f"the selector changes to {_shown(wanted)}: traffic moves as a whole when a pod that it matches is Ready"]


def _selector(service: Object) -> dict[str, Any]:
    return dict((service.get("spec") or {}).get("selector") or {})


def _external(service: Object) -> bool:
    return (service.get("spec") or {}).get("type") == "ExternalName"


def _shown(selector: dict[str, Any]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
