"""The controllers in ownerReferences: handed over from the old sets to the new ones, each in one conditional write.

The operator moves those of most kinds by itself when it applies a new set, but never those of Deployments and
StatefulSets: with the old set they would be garbage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from hook.cluster.answers import ApiError, Cause
from hook.errors import Unreachable
from hook.generations.metadata_patch import metadata_patch
from hook.handoff.session import Session
from hook.manifests.identity import Identity, Kind, Object
from hook.tekton.installer_set import TektonInstallerSet

# The operator gives these no set as their owner: definitions and Namespaces have the set's own owners, and webhook
# configurations what they came with (its `transformer.go`).
_UNOWNED = frozenset(
    {
        Kind("apiextensions.k8s.io", "CustomResourceDefinition"),
        Kind("", "Namespace"),
        Kind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        Kind("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    }
)
_TRIES = 8


class References:
    """`sets` are uids of sets from which objects are handed over; `owners` are those of the sets' own owners."""

    def __init__(self, session: Session, sets: Collection[str], owners: Collection[str] = ()) -> None:
        self._session = session
        self._sets = frozenset(sets)
        self._owners = frozenset(owners)

    def settled(self, identity: Identity, metadata: Mapping[str, Any], controller: Object) -> bool:
        """Whether the live object has the controller that it is to have, and no other set."""
        return self._wanted(identity, metadata, controller) == list(metadata.get("ownerReferences") or ())

    def hand_over(self, identity: Identity, version: str, controller: Object | None) -> None:
        """Put `controller` in the place of any of the sets; with None only these are taken out.

        What does not exist has none. Raises Unreachable where somebody changes it all the time.
        """
        found = self._session.type_of(identity.of_kind, version)
        if found is None:
            return
        for _ in range(_TRIES):
            try:
                live = self._session.objects.get(found, identity.namespace, identity.name, metadata_only=True)
                wanted = self._wanted(identity, live["metadata"], controller)
                if wanted == list(live["metadata"].get("ownerReferences") or ()):
                    return
                patch = metadata_patch(live, owner_references=wanted)
                self._session.objects.json_patch(found, identity.namespace, identity.name, patch, "handoff")
                return
            except ApiError as error:
                if error.cause in (Cause.NOT_FOUND, Cause.NAMESPACE_MISSING):
                    return
                if error.cause not in (Cause.STALE, Cause.UID_MISMATCH):
                    raise
        raise Unreachable(f"{identity} is changed by somebody all the time; run again")

    def take_out(self, listed: Mapping[Identity, str]) -> None:
        """No object of these (identity → version) has one of the sets as an owner any more when this returns."""
        self._session.parallel(lambda item: self.hand_over(item[0], item[1], None), listed.items())

    def _wanted(self, identity: Identity, metadata: Mapping[str, Any], controller: Object | None) -> list[Any]:
        references = [one for one in metadata.get("ownerReferences") or () if one.get("uid") not in self._sets]
        if controller is None or identity.of_kind in _UNOWNED:
            return references
        left = [one for one in references if one.get("uid") not in {*self._owners, controller["uid"]}]
        # A second controller is refused by the API server; where it is somebody else's, it stays.
        return left if any(one.get("controller") for one in left) else [*left, controller]


def owners_of(sets: Iterable[TektonInstallerSet]) -> frozenset[str]:
    """The uids of the sets' own owners: the component's custom resource."""
    return frozenset(str(owner.get("uid")) for one in sets for owner in one.owners)
