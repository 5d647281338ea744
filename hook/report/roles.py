"""Roles as YAML for people: each rule below a comment that says what it is for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import yaml

from hook.manifests.identity import Object
from hook.rights.roles import Role, Rule

_WIDTH = 120


def as_yaml(
    component: str, early: Sequence[str], accounts: Iterable[Object], roles: Sequence[Role], bound: tuple[str, str]
) -> str:
    """`early` are namespaces of the input that must exist before these Roles; `bound` is a ServiceAccount, with its
    namespace first."""
    head = f"# Rights of the runs of {component}, as `handoff rbac` prints them for its manifests.\n"
    if early:
        head += (
            "# The Roles need namespaces that the manifests themselves bring: take --cluster-wide, or create these\n"
            f"# first: {', '.join(early)}.\n"
        )
    documents = [_dumped(account) for account in accounts]
    for role in roles:
        documents += [_role(role), _dumped(role.binding(*bound))]
    return head + "---\n".join(documents).rstrip("\n")


def _role(role: Role) -> str:
    shell = {key: value for key, value in role.as_object().items() if key != "rules"}
    before: tuple[str, ...] = ()
    rules = ""
    for rule in role.rules:
        rules += _rule(rule, told=rule.why == before)
        before = rule.why
    return f"{_dumped(shell)}rules:\n{rules}"


def _rule(rule: Rule, *, told: bool) -> str:
    """`told`: what it is for stands above the rule before it."""
    comments = [f"  # {line}\n" for line in rule.why if not told]
    lines = yaml.safe_dump([rule.rule], default_flow_style=None, sort_keys=False, width=_WIDTH).splitlines()
    return "".join(comments) + "".join(f"  {line}\n" for line in lines)


def _dumped(obj: Object) -> str:
    return yaml.safe_dump(obj, sort_keys=False, width=_WIDTH)
