"""What shared objects keep until the pods of the old generation are gone."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from hook.generations.carry.certificates import carry_certificates, lost_certificates
from hook.generations.carry.interruptions import interruptions
from hook.generations.carry.kept import Kept
from hook.generations.carry.keys import carry_keys, lost_keys
from hook.generations.carry.network import carry_policy, lost_policy
from hook.generations.carry.ports import carry_ports, lost_ports
from hook.generations.carry.rights import carry_rules, carry_subjects, lost_rules
from hook.generations.carry.selectors import carry_selector, changed_selector, lost_selector
from hook.generations.carry.versions import carry_versions
from hook.generations.field_sets import Fields, union
from hook.generations.managed_fields import applied_fields
from hook.generations.marks import MANAGER_PREFIX
from hook.manifests.digest import canonical
from hook.manifests.identity import Kind, Object, split_api_version

_DIGITS = 12  # hex digits of the digest of what is carried

_CONFIG_MAP = Kind("", "ConfigMap")
_SECRET = Kind("", "Secret")
_SERVICE = Kind("", "Service")
_ROLE = Kind("rbac.authorization.k8s.io", "Role")
_CLUSTER_ROLE = Kind("rbac.authorization.k8s.io", "ClusterRole")
_ROLE_BINDING = Kind("rbac.authorization.k8s.io", "RoleBinding")
_CLUSTER_ROLE_BINDING = Kind("rbac.authorization.k8s.io", "ClusterRoleBinding")
_POLICY = Kind("networking.k8s.io", "NetworkPolicy")
_VALIDATING = Kind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration")
_MUTATING = Kind("admissionregistration.k8s.io", "MutatingWebhookConfiguration")
_API_SERVICE = Kind("apiregistration.k8s.io", "APIService")
_DEFINITION = Kind("apiextensions.k8s.io", "CustomResourceDefinition")
_WORKLOADS = tuple(Kind("apps", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet"))

_Carrier = Callable[[Object, Object, Fields], list[Kept]]
_Loss = Callable[[Object, Object, Fields], list[str]]


@dataclass(frozen=True, slots=True)
class Carried:
    """A body to apply while old pods live.

    `what` are lines for people, without secret values; `digest` is "" when nothing is carried (then `obj` is the
    desired object), else 12 hex digits over what is. `selector_switch` is a Service's new selector, withheld until
    a pod that it matches is Ready; then `carry_over(..., switch=True)` gives the body with it.
    """

    obj: Object
    what: tuple[str, ...] = ()
    digest: str = ""
    selector_switch: dict[str, str] | None = None

    @property
    def switches(self) -> bool:
        return self.selector_switch is not None


def carries(kind: Kind) -> bool:
    """Whether anything can be carried inside objects of this kind, so that the whole live object has to be read."""
    return kind in _CARRIERS


def inspects(kind: Kind) -> bool:
    """Whether `cannot_carry` can say anything about this kind, so that the whole live object has to be read."""
    return kind in _LOSSES


def carry_over(desired: Object, live: Object, manager: str, *, adopted: bool = False, switch: bool = False) -> Carried:
    """The desired object together with what the pods of the old generation still need of the live one.

    `live` is the whole object, with managedFields. Keys and ports are carried if `manager` applied them, or, when the
    object is being `adopted`, if anybody but another component wrote them; elements of atomic lists always. With
    `switch` a Service gets its new selector. To carry twice changes nothing: the second body equals the first.
    """
    body = copy.deepcopy(desired)
    selector = changed_selector(desired, live) if _kind(desired) == _SERVICE and not switch else None
    kept: list[Kept] = []
    owned = _owned(live, manager, adopted=adopted)
    for carry in _CARRIERS.get(_kind(desired), ()):
        if not (switch and carry is carry_selector):
            kept += carry(body, live, owned)
    if not kept:
        return Carried(body)
    digest = hashlib.sha256(canonical({"carried": [[one.line, one.value] for one in kept]})).hexdigest()[:_DIGITS]
    return Carried(body, tuple(one.line for one in kept), digest, selector)


def cannot_carry(desired: Object, live: Object, manager: str, *, adopted: bool = False) -> tuple[str, ...]:
    """Lines for the preflight: what old pods lose although they live, and interruptions that the manifest asks for.

    The lines do not repeat the object's name, and hold no value of a ConfigMap or Secret.
    """
    owned = _owned(live, manager, adopted=adopted)
    return tuple(line for lost in _LOSSES.get(_kind(desired), ()) for line in lost(desired, live, owned))


def _kind(obj: Object) -> Kind:
    return Kind(split_api_version(obj["apiVersion"])[0], obj["kind"])


def _owned(live: Object, manager: str, *, adopted: bool) -> Fields:
    ours = applied_fields(live["metadata"], manager) or {}
    if not adopted:
        return ours
    entries = live["metadata"].get("managedFields") or ()
    others = [entry for entry in entries if not str(entry.get("manager")).startswith(MANAGER_PREFIX)]
    return union((ours, *(entry.get("fieldsV1") or {} for entry in others if not entry.get("subresource"))))


_CARRIERS: dict[Kind, tuple[_Carrier, ...]] = {
    _CONFIG_MAP: (carry_keys,),
    _SECRET: (carry_keys,),
    _SERVICE: (carry_selector, carry_ports),
    _ROLE: (carry_rules,),
    _CLUSTER_ROLE: (carry_rules,),
    _ROLE_BINDING: (carry_subjects,),
    _CLUSTER_ROLE_BINDING: (carry_subjects,),
    _POLICY: (carry_policy,),
    _VALIDATING: (carry_certificates,),
    _MUTATING: (carry_certificates,),
    _API_SERVICE: (carry_certificates,),
    _DEFINITION: (carry_versions, carry_certificates),
}

_LOSSES: dict[Kind, tuple[_Loss, ...]] = {
    _CONFIG_MAP: (lost_keys,),
    _SECRET: (lost_keys,),
    _SERVICE: (lost_ports, lost_selector),
    _CLUSTER_ROLE: (lost_rules,),
    _POLICY: (lost_policy,),
    _VALIDATING: (lost_certificates,),
    _MUTATING: (lost_certificates,),
    _API_SERVICE: (lost_certificates,),
    _DEFINITION: (lost_certificates,),
    **dict.fromkeys(_WORKLOADS, (interruptions,)),
}
