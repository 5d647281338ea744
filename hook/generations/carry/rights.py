"""Rules of Roles and subjects of bindings: the old pods go on with the rights that they started with.

Both are atomic lists: an apply replaces them as a whole, so the live list is united with the new one, whoever wrote it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from hook.generations.carry.kept import Kept
from hook.generations.field_sets import Fields
from hook.manifests.identity import Object

_RBAC_GROUP = "rbac.authorization.k8s.io"


def carry_rules(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Live rules that no rule of the manifest grants already, after those of the manifest."""
    if "aggregationRule" in body:
        return []  # the rules are the control plane's to fill in
    rules = list(body.get("rules") or ())
    lost = [rule for rule in live.get("rules") or () if not any(_grants(one, rule) for one in rules)]
    if lost:
        body["rules"] = copy.deepcopy(rules + lost)
    return [Kept(f"rule {_shown(rule)}", rule) for rule in lost]


def carry_subjects(body: Object, live: Object, owned: Fields) -> list[Kept]:
    """Live subjects that the manifest lacks, after those of the manifest."""
    subjects = list(body.get("subjects") or ())
    present = {_subject_key(subject) for subject in subjects}
    lost = [subject for subject in live.get("subjects") or () if _subject_key(subject) not in present]
    if lost:
        body["subjects"] = copy.deepcopy(subjects + lost)
    return [Kept(f"subject {_subject_shown(subject)}", subject) for subject in lost]


def lost_rules(desired: Object, live: Object, owned: Fields) -> list[str]:
    if "aggregationRule" not in desired or "aggregationRule" in live:
        return []
    return ["becomes an aggregated ClusterRole: its own rules go at once; the control plane fills in those it selects"]


def _grants(wide: dict[str, Any], narrow: dict[str, Any]) -> bool:
    """Whether one rule allows all that another allows (RBAC's own matching, without `resource/*` patterns)."""
    if not _within(narrow, wide, "verbs"):
        return False
    if narrow.get("nonResourceURLs"):
        return _within(narrow, wide, "nonResourceURLs") and not narrow.get("resources")
    return (
        bool(wide.get("resources"))
        and _within(narrow, wide, "apiGroups")
        and _within(narrow, wide, "resources")
        and _named_within(narrow, wide)
    )


def _within(narrow: dict[str, Any], wide: dict[str, Any], field: str) -> bool:
    allowed = set(wide.get(field) or ())
    return "*" in allowed or allowed.issuperset(narrow.get(field) or ())


def _named_within(narrow: dict[str, Any], wide: dict[str, Any]) -> bool:
    allowed, asked = set(wide.get("resourceNames") or ()), set(narrow.get("resourceNames") or ())
    return not allowed or (bool(asked) and allowed.issuperset(asked))


def _subject_key(subject: dict[str, Any]) -> tuple[str, str, str, str]:
    kind = str(subject.get("kind") or "")
    group = subject.get("apiGroup") or ("" if kind == "ServiceAccount" else _RBAC_GROUP)
    return str(group), kind, str(subject.get("namespace") or ""), str(subject.get("name") or "")


def _subject_shown(subject: dict[str, Any]) -> str:
    _, kind, namespace, name = _subject_key(subject)
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _shown(rule: dict[str, Any]) -> str:
    """`get,list configmaps,secrets [feature-flags]`, `get deployments.apps`, `get /metrics`."""
    verbs = _joined(rule.get("verbs"))
    if rule.get("nonResourceURLs"):
        return f"{verbs} {_joined(rule['nonResourceURLs'])}"
    groups = [group for group in rule.get("apiGroups") or () if group]
    text = f"{verbs} {_joined(rule.get('resources'))}{f' in {_joined(groups)}' if groups else ''}"
    return f"{text} [{_joined(rule['resourceNames'])}]" if rule.get("resourceNames") else text


def _joined(values: Iterable[str] | None) -> str:
    return ",".join(values or ())
