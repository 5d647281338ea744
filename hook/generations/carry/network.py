"""Rules of NetworkPolicies: the old pods go on talking to whom they talked to."""

from __future__ import annotations

import copy
import json
from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields
from hook.manifests.identity import Object

_DIRECTIONS = (("Ingress", "ingress"), ("Egress", "egress"))


def carry_policy(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Live rules that the manifest lacks, after those of the manifest (atomic lists, whoever wrote them).

    A direction that the live policy leaves open and the new one closes stays open: one rule that allows all.
    """
    if _selects_others(body, live):
        return []
    kept = []
    wanted_types, live_types = _types(body), _types(live)
    for policy_type, field in _DIRECTIONS:
        if policy_type not in wanted_types:
            continue  # an open direction allows all that any rule allows
        rules = _rules(body, field)
        present = {_canonical(rule) for rule in rules}
        before = _rules(live, field) if policy_type in live_types else [{}]
        lost = [rule for rule in before if _canonical(rule) not in present]
        if lost and _canonical({}) not in present:
            body["spec"][field] = copy.deepcopy(rules + lost)
            kept += [Kept(f"{field} rule {_shown(rule)}", [field, rule]) for rule in lost]
    return kept


def lost_policy(desired: Object, live: Object, owned: Fields) -> list[str]:
    if not _selects_others(desired, live):
        return []
    return ["podSelector changes: the policy no longer holds for pods that only the old one selects"]


def _selects_others(desired: Object, live: Object) -> bool:
    before, after = ((obj.get("spec") or {}).get("podSelector") or {} for obj in (live, desired))
    return _canonical(before) != _canonical(after)


def _types(policy: Object) -> set[str]:
    """Directions that are closed but for the rules; defaults as the API server fills them in."""
    spec = policy.get("spec") or {}
    given = set(spec.get("policyTypes") or ())
    return given or ({"Ingress", "Egress"} if spec.get("egress") else {"Ingress"})


def _rules(policy: Object, field: str) -> list[dict[str, Any]]:
    return list((policy.get("spec") or {}).get(field) or ())


def _canonical(value: Any) -> str:
    """Equal text for what the API server treats alike: empty lists are absent, a port's protocol is TCP."""
    return json.dumps(_normal(value), sort_keys=True)


def _normal(value: Any, parent: str = "") -> Any:
    if isinstance(value, dict):
        filled = {"protocol": "TCP", **value} if parent == "ports" else value
        return {key: _normal(child, key) for key, child in filled.items() if child is not None and child != []}
    if isinstance(value, list):
        return [_normal(child, parent) for child in value]
    return value


def _shown(rule: dict[str, Any]) -> str:
    if not _normal(rule):
        return "that allows all"
    return json.dumps(_normal(rule), sort_keys=True, separators=(",", ":"))
