"""Plurals and scopes of kinds: Kubernetes' own by rule, others by the definitions that come with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hook.errors import InvalidInput
from hook.manifests.identity import Kind, Object
from hook.manifests.scope import builtin_scope, scope_from


@dataclass(frozen=True, slots=True)
class KnownKinds:
    """What is known of kinds that are not Kubernetes' own."""

    plurals: Mapping[Kind, str] = field(default_factory=dict)
    scopes: Mapping[Kind, bool] = field(default_factory=dict)  # whether a kind is namespaced

    @classmethod
    def defined_by(cls, objects: Iterable[Object]) -> KnownKinds:
        """Those that CustomResourceDefinitions among these objects define."""
        listed = list(objects)
        return cls(_plurals_from(listed), scope_from(listed))

    def knows(self, kind: Kind) -> bool:
        return builtin_scope(kind) is not None or kind in self.plurals

    def namespaced(self, kind: Kind) -> bool | None:
        """None where it is not known."""
        return self.scopes.get(kind, builtin_scope(kind))

    def plural(self, kind: Kind) -> str:
        """The kind's name in rules and paths. Raises InvalidInput where it is not known."""
        if kind in self.plurals:
            return self.plurals[kind]
        if builtin_scope(kind) is None:
            raise InvalidInput(
                f"{kind}: its plural is not known: it is none of Kubernetes' own kinds, and its "
                "CustomResourceDefinition is not among the sources; give --kubeconfig or --context of a cluster "
                "that serves it"
            )
        return builtin_plural(kind.kind)


def builtin_plural(kind: str) -> str:
    """`networkpolicies` for `NetworkPolicy`.

    Source: meta.UnsafeGuessKindToResource of k8s.io/apimachinery, by which all of Kubernetes' own kinds are named.
    """
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _plurals_from(objects: Iterable[Object]) -> dict[Kind, str]:
    found: dict[Kind, str] = {}
    for obj in objects:
        spec = obj.get("spec")
        if obj.get("kind") != "CustomResourceDefinition" or not isinstance(spec, dict):
            continue
        names = spec.get("names")
        if not isinstance(names, dict):
            continue
        group, kind, plural = spec.get("group"), names.get("kind"), names.get("plural")
        if isinstance(group, str) and isinstance(kind, str) and isinstance(plural, str):
            found[Kind(group, kind)] = plural
    return found
