"""Rights on the resources of a component themselves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from hook.generations.body import SECRET
from hook.manifests.identity import Identity, Kind, Object
from hook.manifests.manifest import Manifest
from hook.pruning.guards.kept_kinds import KEPT_KINDS
from hook.readiness.assess import needs_status
from hook.rights.right import Need, Needed, Right

Plural = Callable[[Kind], str]

_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_NAMESPACE = Kind("", "Namespace")


def desired_rights(
    manifests: Iterable[Manifest], plural: Plural, prune_kinds: Collection[str], *, named: bool = True
) -> Iterator[Needed]:
    """To apply these, and to take them away again.

    A server-side apply names what it creates, so that even `create` can be granted by name.
    """
    for manifest in manifests:
        for verb in ("get", "create", "patch"):
            yield Needed(_on(manifest.identity, verb, plural, named), Need.RUN, "The component.")
        if _may_go(manifest.identity, prune_kinds):
            right = _on(manifest.identity, "delete", plural, named)
            yield Needed(right, Need.PRUNE, "The component.")


def obsolete_rights(
    identities: Iterable[Identity], plural: Plural, prune_kinds: Collection[str], *, named: bool = True
) -> Iterator[Needed]:
    """To prune these, or to give up what another component has too."""
    for identity in identities:
        verbs = ("get", "patch", "delete") if _may_go(identity, prune_kinds) else ("get", "patch")
        for verb in verbs:
            why = "What only an older generation has, to prune it or to give it up."
            yield Needed(_on(identity, verb, plural, named), Need.PRUNE, why)


def watch_rights(
    manifests: Iterable[Manifest], plural: Plural, own_rule: Callable[[Object, Kind], bool] = lambda _obj, _kind: False
) -> Iterator[Needed]:
    """To wait for what is not ready by existing; `own_rule` says whether a rule of one's own judges an object."""
    for manifest in manifests:
        identity = manifest.identity
        if needs_status(identity.of_kind, manifest.obj) or own_rule(manifest.obj, identity.of_kind):
            for verb in ("list", "watch"):
                right = Right(identity.group, plural(identity.of_kind), verb, identity.namespace)
                why = "Readiness. A kind is watched as a whole, whatever its objects are called."
                yield Needed(right, Need.RUN, why)


def containment_rights(
    identities: Iterable[Identity], defined: Iterable[Kind], plural: Plural, prune_kinds: Collection[str]
) -> Iterator[Needed]:
    """To see whether a Namespace or a definition that may be pruned is empty."""
    if _NAMESPACE.kind in prune_kinds:
        for identity in identities:
            if identity.of_kind == _NAMESPACE:
                why = "A Namespace is pruned only when nothing is in it that is not ours."
                yield Needed(Right("*", "*", "list", identity.name), Need.PRUNE, why)
    if _CRD.kind in prune_kinds:
        for kind in defined:
            why = "A definition is pruned only when no custom resource is left."
            yield Needed(Right(kind.group, plural(kind), "list", ""), Need.PRUNE, why)


def backward_rights(defined: Iterable[Kind], plural: Plural) -> Iterator[Needed]:
    """To keep a newer definition in the place of an older one, which must be proven to serve it."""
    for kind in defined:
        why = "Optional: to go back to an older definition. Whether the newer one can stay is told by listing."
        yield Needed(Right(kind.group, plural(kind), "list", ""), Need.OPTIONAL, why)


def _on(identity: Identity, verb: str, plural: Plural, named: bool) -> Right:
    name = identity.name if named or identity.of_kind == SECRET else ""
    return Right(identity.group, plural(identity.of_kind), verb, identity.namespace, name)


def _may_go(identity: Identity, prune_kinds: Collection[str]) -> bool:
    return identity.of_kind not in KEPT_KINDS or identity.kind in prune_kinds
