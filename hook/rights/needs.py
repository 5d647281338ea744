"""All rights that the runs of one input need, from its first install to its removal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hook.errors import InvalidInput
from hook.manifests.identity import Identity, Kind, Object
from hook.manifests.manifest import Manifest
from hook.manifests.waves import served_by
from hook.rights.held import HeldRule, grant_rights, held_rules
from hook.rights.kinds import KnownKinds
from hook.rights.records import definition_rights, event_rights, job_rights, record_rights
from hook.rights.resources import (
    backward_rights,
    containment_rights,
    desired_rights,
    obsolete_rights,
    watch_rights,
)
from hook.rights.right import Needed
from hook.rights.surroundings import endpoint_rights, explanation_rights, pod_rights, scale_rights, switch_rights
from hook.rights.tekton import component_rights, tekton_rights

_CRD = Kind("apiextensions.k8s.io", "CustomResourceDefinition")


def _no_rule(_obj: Object, _kind: Kind) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Needs:
    """`manifests` and `previous` are placed in their namespaces; `previous` are those of other generations."""

    component: str
    namespace: str  # of the sets
    manifests: tuple[Manifest, ...]
    kinds: KnownKinds
    previous: tuple[Manifest, ...] = ()
    prune_kinds: frozenset[str] = frozenset()
    own_rule: Callable[[Object, Kind], bool] = field(default=_no_rule)  # see watch_rights
    job_namespace: str = ""  # of the pod; "" where there is none
    definition: bool = True
    escalate: bool = False
    named: bool = True
    tekton: bool = False  # the Tekton operator keeps the component

    def rights(self) -> tuple[Needed, ...]:
        """Every right, some of them more than once, for different reasons.

        Raises InvalidInput where the plural or scope of a kind is not known.
        """
        self._check_kinds()
        return tuple(self._rights())

    def held(self) -> tuple[HeldRule, ...]:
        """The rules that have to be held because the component's own Roles grant them; none with `escalate`."""
        return () if self.escalate else tuple(held_rules(self.manifests, self.previous))

    def namespaces(self) -> tuple[str, ...]:
        """Those that the input itself brings."""
        return tuple(m.identity.name for m in self.manifests if m.identity.of_kind == Kind("", "Namespace"))

    def _rights(self) -> Iterator[Needed]:
        manifests, plural = self.manifests, self.kinds.plural
        every = (*manifests, *self.previous)
        yield from record_rights(self.component, self.namespace)
        yield from event_rights(self.namespace)
        if self.tekton:
            yield from tekton_rights(self.component, self.namespace)
            yield from component_rights()
        if self.job_namespace:
            yield from job_rights(self.job_namespace)
        if self.definition:
            yield from definition_rights()
        yield from desired_rights(manifests, plural, self.prune_kinds, named=self.named)
        yield from obsolete_rights(self._only_previous(), plural, self.prune_kinds, named=self.named)
        yield from containment_rights([m.identity for m in every], self._defined(every), plural, self.prune_kinds)
        yield from watch_rights(manifests, plural, self.own_rule)
        yield from pod_rights(manifests)
        yield from switch_rights(manifests)
        yield from scale_rights(manifests)
        yield from endpoint_rights(manifests)
        yield from grant_rights(manifests, escalate=self.escalate)
        defined = self._defined(manifests)
        yield from backward_rights(defined, plural)
        yield from explanation_rights(every, plural, defined)

    def _only_previous(self) -> list[Identity]:
        desired = {m.identity for m in self.manifests}
        return sorted({m.identity for m in self.previous} - desired)

    def _defined(self, manifests: tuple[Manifest, ...]) -> list[Kind]:
        """The kinds whose definitions are among these."""
        found = [served_by(m.obj) for m in manifests if m.identity.of_kind == _CRD]
        return [Kind(group, kind) for group, kind, _ in found if kind]

    def _check_kinds(self) -> None:
        faults = []
        for kind in sorted({m.identity.of_kind for m in (*self.manifests, *self.previous)}):
            try:
                self.kinds.plural(kind)
            except InvalidInput as fault:
                faults.append(fault.message)
        if faults:
            raise InvalidInput(faults[0], faults[1:])
