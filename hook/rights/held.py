"""What a run must hold itself to write the Roles and bindings of the component.

The API server lets nobody grant what they do not have: they hold every rule of a Role that they write or bind, or they
may `escalate` that Role and `bind` to it. Source: Kubernetes' documentation of RBAC, "Privilege escalation prevention".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hook.manifests.identity import Identity, Kind, Object
from hook.manifests.manifest import Manifest
from hook.rights.right import Need, Needed, Right

GROUP = "rbac.authorization.k8s.io"
_ROLES = {Kind(GROUP, "Role"): "roles", Kind(GROUP, "ClusterRole"): "clusterroles"}
_BINDINGS = frozenset(Kind(GROUP, name) for name in ("RoleBinding", "ClusterRoleBinding"))


@dataclass(frozen=True, slots=True)
class HeldRule:
    """A rule as a manifest has it, to be held in `namespace` ("" is everywhere)."""

    namespace: str
    rule: Object
    role: Identity  # whose it is


def held_rules(manifests: Iterable[Manifest], previous: Iterable[Manifest] = ()) -> Iterator[HeldRule]:
    """The rules of all Roles of the input, and those that the same Roles had before, which are carried along."""
    written = set()
    for manifest in manifests:
        if manifest.identity.of_kind in _ROLES:
            written.add(manifest.identity)
            yield from _rules(manifest)
    for manifest in previous:
        if manifest.identity in written:
            yield from _rules(manifest)


def grant_rights(manifests: Iterable[Manifest], *, escalate: bool) -> Iterator[Needed]:
    """`bind` for Roles whose rules are not in the input, and `escalate` where the rules cannot be known.

    With `escalate` instead of holding any rule: for every Role and every binding.
    """
    listed = tuple(manifests)
    roles = {m.identity: m.obj for m in listed if m.identity.of_kind in _ROLES}
    for identity, obj in roles.items():
        if escalate or "aggregationRule" in obj:
            why = (
                "Whoever may escalate a Role can give it, and so itself, any right."
                if escalate
                else "An aggregated ClusterRole gathers rules that nobody can know beforehand."
            )
            right = Right(GROUP, _ROLES[identity.of_kind], "escalate", identity.namespace, identity.name)
            yield Needed(right, Need.RUN, why)
    for manifest in listed:
        if manifest.identity.of_kind not in _BINDINGS:
            continue
        role = _bound(manifest)
        if role is None:
            continue
        known = roles.get(role)
        if escalate or known is None or "aggregationRule" in known:
            why = "Bindings to Roles whose rules are not held."
            right = Right(GROUP, _ROLES[role.of_kind], "bind", manifest.identity.namespace, role.name)
            yield Needed(right, Need.RUN, why)


def _rules(manifest: Manifest) -> Iterator[HeldRule]:
    rules = manifest.obj.get("rules")
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict):
            yield HeldRule(manifest.identity.namespace, rule, manifest.identity)


def _bound(manifest: Manifest) -> Identity | None:
    reference: Any = manifest.obj.get("roleRef")
    if not isinstance(reference, dict):
        return None
    kind, name = reference.get("kind"), reference.get("name")
    if not isinstance(name, str) or Kind(GROUP, str(kind)) not in _ROLES:
        return None
    namespace = manifest.identity.namespace if kind == "Role" else ""
    return Identity(GROUP, str(kind), namespace, name)
