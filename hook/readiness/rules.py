"""The user's own rules of readiness, in the form of Flux's `healthCheckExprs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from hook.errors import InvalidInput
from hook.manifests.annotations import READY_WHEN
from hook.manifests.identity import Kind, split_api_version
from hook.readiness.annotations import annotation
from hook.readiness.conditions import one_line
from hook.readiness.expressions import Expression, Undecided
from hook.readiness.fields import OddField
from hook.readiness.state import Readiness, current, failed, in_progress

_KEYS: Final = ("apiVersion", "kind", "current", "inProgress", "failed")


@dataclass(frozen=True, slots=True)
class Rule:
    """Expressions that judge an object; see `evaluate` for their order."""

    current: Expression
    in_progress: Expression | None = None
    failed: Expression | None = None

    def evaluate(self, obj: Mapping[str, Any]) -> Readiness:
        """In Flux's order: inProgress, failed, current; none of them is in progress, and so is no answer."""
        try:
            if self.in_progress is not None and self.in_progress.holds(obj):
                return in_progress("its rule says so", f"`{one_line(self.in_progress.source)}` to end")
            if self.failed is not None and self.failed.holds(obj):
                return failed(f"its rule says so: `{one_line(self.failed.source)}`")
            if self.current.holds(obj):
                return current("its rule says so")
        except Undecided as undecided:
            return in_progress(f"its rule has no answer yet: {undecided}", f"`{one_line(self.current.source)}`")
        return in_progress("its rule is not met", f"`{one_line(self.current.source)}`")


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules by apiVersion and kind. An object's own annotation comes before them."""

    by_kind: Mapping[tuple[str, str], Rule] = field(default_factory=dict)

    def rule_for(self, obj: Mapping[str, Any], kind: Kind) -> Rule | None:
        """The rule for an object: its annotation, one for its version, one for another version of its kind.

        Raises OddField if the annotation does not compile: `check_annotation` says so earlier.
        """
        source = annotation(obj, READY_WHEN)
        if source is not None:
            try:
                return _annotated(source)
            except InvalidInput as error:
                raise OddField(error.message) from None
        exact = self.by_kind.get((obj["apiVersion"], kind.kind))
        if exact is not None:
            return exact
        return next((rule for of, rule in self.by_kind.items() if _kind(of) == kind), None)


def rules_from(expressions: Any, where: str = "healthCheckExprs") -> Rules:
    """Rules from a list of {apiVersion, kind, current, inProgress?, failed?}; None is no rules.

    `where` names the list in errors. Raises InvalidInput: another shape, an unknown key, a kind named twice, an
    expression that does not compile (with line and column).
    """
    if expressions is None:
        return Rules()
    if not isinstance(expressions, Sequence) or isinstance(expressions, str):
        raise InvalidInput(f"{where}: it has to be a list of rules")
    rules: dict[tuple[str, str], Rule] = {}
    for index, entry in enumerate(expressions):
        key, rule = _read(entry, f"{where}[{index}]")
        if key in rules:
            raise InvalidInput(f"{where}[{index}]: there is a rule for {key[0]} {key[1]} already")
        rules[key] = rule
    return Rules(rules)


def check_annotation(obj: Mapping[str, Any], where: str) -> None:
    """Compile an object's own rule, so that a bad one is found before anything is done.

    `where` says which object it is. Raises InvalidInput, with line and column. Annotations that are none are
    passed over.
    """
    try:
        source = annotation(obj, READY_WHEN)
    except OddField:
        return
    if source is not None:
        Expression(source, f"{where}: annotation {READY_WHEN}")


def _read(entry: Any, where: str) -> tuple[tuple[str, str], Rule]:
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"{where}: it has to be a mapping with {', '.join(_KEYS)}")
    for key, value in entry.items():
        if key not in _KEYS:
            raise InvalidInput(f"{where}: unknown key {key!r}; known are {', '.join(_KEYS)}")
        if not isinstance(value, str) or not value.strip():
            raise InvalidInput(f"{where}.{key}: it has to be text")
    for key in ("apiVersion", "kind", "current"):
        if key not in entry:
            raise InvalidInput(f"{where}: {key} is missing")
    compiled = {
        key: Expression(entry[key], f"{where}.{key}") for key in ("current", "inProgress", "failed") if key in entry
    }
    rule = Rule(compiled["current"], compiled.get("inProgress"), compiled.get("failed"))
    return (entry["apiVersion"], entry["kind"]), rule


def _kind(of: tuple[str, str]) -> Kind:
    return Kind(split_api_version(of[0])[0], of[1])


@lru_cache(maxsize=512)
def _annotated(source: str) -> Rule:
    return Rule(Expression(source, f"annotation {READY_WHEN}"))
