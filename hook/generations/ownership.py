"""Whose a live object is, and what that means for applying a manifest to it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from hook.generations.field_sets import node_at
from hook.generations.foreign_owners import foreign_owner
from hook.generations.managed_fields import Entry, applied_entry
from hook.generations.marks import field_manager, owner_label, owners
from hook.generations.predecessors import NOBODY, Predecessors
from hook.generations.sharing import (
    ALWAYS_SHARED,
    NEVER_SHARED,
    SHARE_ANNOTATION,
    disagreements,
    leaving,
    other_managers,
    others_say_share,
    says_share,
)
from hook.manifests.identity import Kind, Object, identify

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

# Entry of what was there before the first server-side apply.
_BEFORE_FIRST_APPLY = "before-first-apply"
# `kubectl rollout restart` is an act, no configuration: taking its field over would restart the pods once more.
_ACTS = frozenset({"kubectl-rollout"})
_NAMESPACE = Kind("", "Namespace")


class Claim(StrEnum):
    ABSENT = "absent"  # to be created
    OURS = "ours"
    ADOPT = "adopt"
    SHARED = "shared"  # other components' mark is there, ours comes to it
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`why` says what was found and `way_out` what to do about a refusal.

    `others` are the managers of other components that own the object too. `managers` are those to take over besides
    kubectl's (of the owner that the object is adopted from). `restored`: our mark is there and our fields are not, so
    that somebody wrote a copy of the object, as the restore of a backup does.
    """

    claim: Claim
    why: str = ""
    way_out: str = ""
    others: tuple[str, ...] = ()
    managers: frozenset[str] = frozenset()
    restored: str = ""  # the owner label that the copy brought along

    def takes(self, entry: Entry) -> bool:
        """Whether adopting takes over what this managedFields entry owns."""
        if self.restored:
            return node_at(entry.get("fieldsV1") or {}, ("metadata", "labels", self.restored)) is not None
        return self.claim is Claim.ADOPT and (is_kubectl(entry) or entry.get("manager") in self.managers)

    def desired(self, desired: Object, live: Object) -> Object:
        """What we want of the object: in a shared Namespace, without fields that others hold with another value."""
        if not self.others or not _yields(desired):
            return desired
        return leaving(desired, live, self.others)

    def kept(self, desired: Object, live: Object) -> tuple[str, ...]:
        """Paths of the fields that `desired` leaves to others, to be reported as "kept, differs"."""
        if not self.others or not _yields(desired):
            return ()
        return disagreements(desired, live, self.others)


def is_kubectl(entry: Entry) -> bool:
    """Whether a managedFields entry is of a person's `kubectl`: configuration that the manifest replaces."""
    manager = str(entry.get("manager") or "")
    if entry.get("subresource") or manager in _ACTS:
        return False
    return manager == _BEFORE_FIRST_APPLY or manager == "kubectl" or manager.startswith("kubectl-")


def judge(
    desired: Object,
    live: Object | None,
    component: str,
    namespace: str,
    *,
    adopt: bool = False,
    share: Collection[str] = (),
    predecessors: Predecessors = NOBODY,
) -> Verdict:
    """What may be done with the live object, of which metadata is enough; None is an object that does not exist.

    `namespace` is that of the component's sets; `share` names objects as KIND/NAME; what `predecessors` keep is the
    component's already. That the fields of an object
    shared with another component agree is left to the caller (`must_agree`): it takes the whole object.
    """
    if live is None:
        return Verdict(Claim.ABSENT)
    metadata = live["metadata"]
    place = owners(metadata).get(component)
    if place is not None and place != namespace:
        return Verdict(
            Claim.REFUSED,
            f"it belongs to the component {component} in namespace {place}",
            "give one of the two another name, or remove it from one of them",
        )
    others = other_managers(metadata, component, namespace)
    if others and (refusal := _not_shareable(desired, live, others, component, namespace, share)):
        return refusal
    if place is not None and _is_a_copy(metadata, component, namespace):
        why = "it carries our mark and none of our fields: somebody has restored or copied it"
        return Verdict(Claim.OURS, why, others=others, restored=owner_label(component))
    if place is not None:
        return Verdict(Claim.OURS, others=others)
    if others:
        return Verdict(Claim.SHARED, f"shared with {_named(live, component)}", others=others)
    if predecessors.keep(metadata):
        why = "the operator kept it for the component"
        return Verdict(Claim.ADOPT, why, managers=predecessors.managers(metadata))
    return _unmarked(desired, live, adopt=adopt)


def _is_a_copy(metadata: Object, component: str, namespace: str) -> bool:
    """Whether our mark was written by somebody else, and nothing of the object is applied by us."""
    manager, mark = field_manager(namespace, component), ("metadata", "labels", owner_label(component))
    return applied_entry(metadata, manager) is None and any(
        entry.get("manager") != manager and node_at(entry.get("fieldsV1") or {}, mark) is not None
        for entry in metadata.get("managedFields") or ()
    )


def must_agree(desired: Object, verdict: Verdict) -> bool:
    """Whether the object is shared under the condition that no field differs (`sharing.disagreements`)."""
    return bool(verdict.others) and identify(desired).of_kind not in ALWAYS_SHARED


def _yields(desired: Object) -> bool:
    return identify(desired).of_kind == _NAMESPACE


def _named(live: Object, component: str) -> str:
    marks = sorted(owners(live["metadata"]).items())
    return ", ".join(f"the component {name} in namespace {place}" for name, place in marks if name != component)


def _not_shareable(
    desired: Object, live: Object, others: tuple[str, ...], component: str, namespace: str, share: Collection[str]
) -> Verdict | None:
    identity = identify(desired)
    if identity.of_kind in ALWAYS_SHARED:
        return None
    why = f"it belongs to {_named(live, component)}"
    if identity.of_kind in NEVER_SHARED:
        return Verdict(
            Claim.REFUSED,
            f"{why}, and a {identity.kind} cannot be shared",
            "leave it to one of them, or give it another name",
            others,
        )
    missing = [] if says_share(desired, share) else [f"{component} in namespace {namespace}"]
    if not others_say_share(live["metadata"], others):
        missing.append(_named(live, component).removeprefix("the component "))
    if not missing:
        return None
    return Verdict(
        Claim.REFUSED,
        why,
        f"leave it to one of them, or let both share it (annotation {SHARE_ANNOTATION}: allowed, or `share: "
        f"[{identity.kind}/{identity.name}]`); so far this does not: {', '.join(missing)}",
        others,
    )


def _unmarked(desired: Object, live: Object, *, adopt: bool) -> Verdict:
    owner = foreign_owner(live["metadata"], identify(desired))
    if owner is None:
        return Verdict(Claim.ADOPT, "it was there before, without a sign of another owner")
    if adopt:
        return Verdict(Claim.ADOPT, f"it belonged to the {owner}", managers=owner.managers)
    return Verdict(
        Claim.REFUSED,
        f"it belongs to the {owner}",
        "remove it there without deleting it, or pass --adopt to take it over",
    )
