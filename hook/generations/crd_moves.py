"""CustomResourceDefinitions go forward: what becomes of the live one when a manifest asks for another."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hook.generations.field_sets import owns_path
from hook.generations.managed_fields import applied_fields
from hook.manifests.identity import Object

_VERSION = re.compile(r"v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?")
_VALUES = frozenset({"default", "enum", "example"})  # keys of a schema whose content is no schema
_STABILITY = {"alpha": 0, "beta": 1, None: 2}


class Move(StrEnum):
    SAME = "same"  # nothing differs: applying it takes nothing from anybody
    FORWARD = "forward"  # apply it
    KEEP_DIFFERS = "kept, differs"  # another component holds the versions: the live one stays
    BACKWARD = "kept newer"  # the live one stays, if a LIST at each of `must_list` succeeds; else refuse
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CrdVerdict:
    """`why` is for people. `must_list` are versions that the live definition has to be able to serve;
    `announce` are changes of storage version or conversion, for the preflight."""

    move: Move
    why: str = ""
    must_list: tuple[str, ...] = ()
    announce: tuple[str, ...] = ()


def compare(desired: Object, live: Object, manager: str, others: Collection[str] = ()) -> CrdVerdict:
    """What to do with a CRD that exists; both objects whole, `live` with managedFields.

    `manager` is ours, `others` are the managers of the other components whose mark it carries.

    Forward is what keeps every version that the live one serves or has stored. A definition that nobody else shares
    may also drop versions that nothing is stored in, if they are older than what it keeps: that is how versions are
    retired (they are served on while old pods live, see `carry.versions`). All else is backward: the server refuses it,
    or those who use the dropped version would break.
    """
    if broken := _never_changes(desired, live):
        return CrdVerdict(Move.REFUSED, broken)
    wanted, present = _served(desired), _served(live)
    lost_served = present - wanted
    lost_stored = _stored(live) - _names(desired)
    if not lost_served and not lost_stored:
        return _forward(desired, live, manager, others)
    if not lost_stored and not others and _older(lost_served, wanted):
        dropped = f"drops version {', '.join(sorted(lost_served))}"
        return CrdVerdict(Move.FORWARD, dropped, announce=(dropped, *_announce(desired, live)))
    missing = wanted - present
    lost = ", ".join(sorted(lost_served | lost_stored))
    if missing:
        return CrdVerdict(
            Move.REFUSED,
            f"the live definition serves or has stored {lost}, which the new one lacks, and does not serve "
            f"{', '.join(sorted(missing))}, which the new one wants: keep {lost} in the manifest",
        )
    return CrdVerdict(
        Move.BACKWARD,
        f"the live definition is newer: it serves or has stored {lost}",
        must_list=tuple(sorted(wanted)),
    )


def _forward(desired: Object, live: Object, manager: str, others: Collection[str]) -> CrdVerdict:
    announce = _announce(desired, live)
    if _same_spec(desired, live):
        return CrdVerdict(Move.SAME)
    if not _same_versions(desired, live):
        return CrdVerdict(Move.FORWARD, "versions change", announce=announce)
    holders = _version_holders(live)
    if holders & set(others) and manager not in holders:
        return CrdVerdict(
            Move.KEEP_DIFFERS, f"same versions with another schema; they are held by {', '.join(sorted(holders))}"
        )
    return CrdVerdict(Move.FORWARD, "the definition of a version changes", announce=announce)


def _never_changes(desired: Object, live: Object) -> str:
    for field in ("group", "scope"):
        if desired["spec"].get(field) != live["spec"].get(field):
            return (
                f"spec.{field} changes from {live['spec'].get(field)} to {desired['spec'].get(field)}: "
                "that takes a new definition, and deleting this one deletes its custom resources"
            )
    before, after = live["spec"]["names"].get("kind"), desired["spec"]["names"].get("kind")
    return f"spec.names.kind changes from {before} to {after}: that takes a new definition" if before != after else ""


def _versions(definition: Object) -> list[dict[str, Any]]:
    return list(definition["spec"].get("versions") or ())


def _names(definition: Object) -> set[str]:
    return {version["name"] for version in _versions(definition)}


def _served(definition: Object) -> set[str]:
    return {version["name"] for version in _versions(definition) if version.get("served")}


def _storage(definition: Object) -> str:
    return next((version["name"] for version in _versions(definition) if version.get("storage")), "")


def _stored(live: Object) -> set[str]:
    stored = (live.get("status") or {}).get("storedVersions") or ()
    return {*stored, _storage(live)} - {""}


def _older(dropped: set[str], kept: set[str]) -> bool:
    return bool(kept) and max(map(_priority, dropped)) < max(map(_priority, kept))


def _priority(version: str) -> tuple[int, int, int, int]:
    """Kubernetes' order of versions: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > anything else."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (0, 0, 0, 0)
    return (1, _STABILITY[found[2]], int(found[1]), int(found[3] or 0))


def _same_versions(desired: Object, live: Object) -> bool:
    def flags(definition: Object) -> set[tuple[str, bool, bool]]:
        return {(v["name"], bool(v.get("served")), bool(v.get("storage"))) for v in _versions(definition)}

    return flags(desired) == flags(live)


def _same_spec(desired: Object, live: Object) -> bool:
    """Whether the live definition is what the manifest asks for; defaults of the API server do not count."""
    wanted, present = desired["spec"], live["spec"]
    before = {version["name"]: version for version in _versions(live)}
    if before.keys() != _names(desired):
        return False
    if any(_normal(version) != _normal(before[version["name"]]) for version in _versions(desired)):
        return False
    if _normal(_conversion(desired)) != _normal(_conversion(live)):
        return False
    names = {name: value for name, value in wanted["names"].items() if value}
    return all(present["names"].get(name) == value for name, value in names.items())


def _conversion(definition: Object) -> dict[str, Any]:
    """Without the CA bundle, which is often filled in by somebody else, and with the default port."""
    conversion = definition["spec"].get("conversion") or {"strategy": "None"}
    webhook = dict(conversion.get("webhook") or {})
    config = {key: value for key, value in (webhook.get("clientConfig") or {}).items() if key != "caBundle"}
    if config.get("service"):
        config["service"] = {"port": 443, **config["service"]}
    return {**conversion, "webhook": {**webhook, "clientConfig": config}} if webhook else conversion


def _normal(value: Any) -> Any:
    """Without what the API server drops as empty; values of defaults and enums stay as they are."""
    if isinstance(value, dict):
        return {
            key: child if key in _VALUES else _normal(child)
            for key, child in value.items()
            if key in _VALUES or not (child is None or child is False or child in ("", []))
        }
    if isinstance(value, list):
        return [_normal(child) for child in value]
    return value


def _version_holders(live: Object) -> set[str]:
    managers = {str(entry.get("manager")) for entry in live["metadata"].get("managedFields") or ()}
    return {
        manager
        for manager in managers
        if owns_path(applied_fields(live["metadata"], manager) or {}, ("spec", "versions"))
    }


def _announce(desired: Object, live: Object) -> tuple[str, ...]:
    lines = []
    if _storage(desired) != _storage(live):
        lines.append(f"the storage version changes from {_storage(live)} to {_storage(desired)}")
    before, after = _conversion(live), _conversion(desired)
    if before.get("strategy") != after.get("strategy"):
        lines.append(f"the conversion changes from {before.get('strategy')} to {after.get('strategy')}")
    elif _normal(before) != _normal(after):
        lines.append("the conversion webhook changes")
    return tuple(lines)
