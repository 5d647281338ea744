"""Rights → the Roles, ClusterRoles and bindings that grant just these."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hook.manifests.digest import canonical
from hook.manifests.identity import Object
from hook.rights.held import GROUP, HeldRule
from hook.rights.right import Needed, Right

_VERBS = ("get", "list", "watch", "create", "patch", "update", "delete", "escalate", "bind")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a Role, and what it is for, a line each."""

    rule: Object
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Role:
    """`namespace` "" is a ClusterRole."""

    name: str
    namespace: str
    rules: tuple[Rule, ...]

    @property
    def kind(self) -> str:
        return "Role" if self.namespace else "ClusterRole"

    def as_object(self) -> Object:
        metadata = {"name": self.name, **({"namespace": self.namespace} if self.namespace else {})}
        rules = [rule.rule for rule in self.rules]
        return {"apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": metadata, "rules": rules}

    def binding(self, account_namespace: str, account: str) -> Object:
        """Binds it to a ServiceAccount, under its own name."""
        role = self.as_object()
        return {
            "apiVersion": f"{GROUP}/v1",
            "kind": f"{self.kind}Binding",
            "metadata": role["metadata"],
            "roleRef": {"apiGroup": GROUP, "kind": self.kind, "name": self.name},
            "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": account_namespace}],
        }


def roles_of(name: str, rights: Iterable[Needed], held: Iterable[HeldRule], *, cluster_wide: bool) -> tuple[Role, ...]:
    """A ClusterRole for what has no namespace (or for everything: `cluster_wide`), and a Role for each namespace."""
    scopes: dict[str, list[Needed]] = defaultdict(list)
    for needed in rights:
        scopes["" if cluster_wide else needed.right.namespace].append(needed)
    extra: dict[str, list[HeldRule]] = defaultdict(list)
    for rule in held:
        extra["" if cluster_wide else rule.namespace].append(rule)
    everywhere = [*_as_rules(scopes.get("", ())), *(rule.rule for rule in extra.get("", ()))]
    roles = []
    for namespace in sorted({*scopes, *extra}):
        granted = [rule.rule for rule in extra[namespace]] + (everywhere if namespace else [])
        rules = (*_rules(scopes[namespace], granted), *_held(extra[namespace]))
        if rules:
            roles.append(Role(name, namespace, rules))
    return tuple(roles)


def _as_rules(needed: Iterable[Needed]) -> list[Object]:
    return [_rule(one.right.group, [one.right.resource], [one.right.name], [one.right.verb]) for one in needed]


def _rules(needed: Iterable[Needed], granted: list[Object]) -> list[Rule]:
    """As few rules as say it; what is granted for all names, or by other rules, is not granted again."""
    listed = list(needed)
    wider = [*granted, *_as_rules(one for one in listed if not one.right.name)]
    verbs: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    whys: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for one in listed:
        place = _place(one.right)
        if not any(_grants(rule, one.right) for rule in (wider if one.right.name else granted)):
            verbs[place].add(one.right.verb)
            whys[place].setdefault(one.why)
    return [*_unnamed(verbs, whys), *_named(verbs, whys)]


def _unnamed(
    verbs: dict[tuple[str, str, str], set[str]], whys: dict[tuple[str, str, str], dict[str, None]]
) -> list[Rule]:
    together: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for (group, resource, name), some in verbs.items():
        if not name:
            together[group, _ordered(some), tuple(whys[group, resource, name])].append(resource)
    return [Rule(_rule(group, sorted(resources), (), some), why) for (group, some, why), resources in together.items()]


def _named(
    verbs: dict[tuple[str, str, str], set[str]], whys: dict[tuple[str, str, str], dict[str, None]]
) -> list[Rule]:
    together: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[str]] = defaultdict(list)
    for (group, resource, name), some in verbs.items():
        if name:
            together[group, resource, _ordered(some), tuple(whys[group, resource, name])].append(name)
    return [
        Rule(_rule(group, [resource], sorted(names), some), why)
        for (group, resource, some, why), names in together.items()
    ]


def _held(rules: Iterable[HeldRule]) -> list[Rule]:
    """Each rule once, with all Roles that have it."""
    found: dict[bytes, tuple[Object, dict[str, None]]] = {}
    for held in rules:
        _, roles = found.setdefault(canonical(held.rule), (held.rule, {}))
        roles.setdefault(f"{held.role.kind} {held.role.namespace + '/' if held.role.namespace else ''}{held.role.name}")
    return [
        Rule(rule, (f"Of {', '.join(roles)}: nobody can grant what they do not hold themselves.",))
        for rule, roles in found.values()
    ]


def _rule(group: str, resources: Sequence[str], names: Sequence[str], verbs: Iterable[str]) -> Object:
    named = {"resourceNames": list(names)} if any(names) else {}
    return {"apiGroups": [group], "resources": list(resources), **named, "verbs": list(verbs)}


def _grants(rule: Object, right: Right) -> bool:
    """As the authorizer sees it, but for wildcards: a rule with one may go some day, with the Role that it is of."""
    names = rule.get("resourceNames")
    return (
        right.group in (rule.get("apiGroups") or ())
        and right.resource in (rule.get("resources") or ())
        and right.verb in (rule.get("verbs") or ())
        and (not names or right.name in names)
    )


def _place(right: Right) -> tuple[str, str, str]:
    return right.group, right.resource, right.name


def _ordered(verbs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(verbs, key=lambda verb: (_VERBS.index(verb) if verb in _VERBS else len(_VERBS), verb)))
