"""Rights on what a run keeps for itself: its sets, its Lease, its Job, Events, and the definition of sets."""

from __future__ import annotations

from collections.abc import Iterator

from hook.generations.installer_set import KIND
from hook.generations.marks import API_GROUP
from hook.rights.kinds import builtin_plural
from hook.rights.right import Need, Needed, Right

_SETS = builtin_plural(KIND)
_LEASES = "coordination.k8s.io"


def record_rights(component: str, namespace: str) -> Iterator[Needed]:
    """For sets and Lease in `namespace`; names of sets hold a digest, so that none can be granted by name."""
    why = "The record: one set for each part of each generation."
    for verb in ("get", "list", "create", "update", "delete"):
        yield Needed(Right(API_GROUP, _SETS, verb, namespace), Need.RUN, why)
    yield Needed(Right(API_GROUP, _SETS, "update", namespace, subresource="status"), Need.RUN, why)
    name = f"handoff-{component}"
    why = "One run at a time. What is created by POST cannot be granted by name."
    yield Needed(Right(_LEASES, "leases", "create", namespace), Need.RUN, why)
    for verb in ("get", "update"):
        yield Needed(Right(_LEASES, "leases", verb, namespace, name), Need.RUN, "The Lease of this component.")
    yield Needed(Right(_LEASES, "leases", "delete", namespace, name), Need.OPTIONAL, "The Lease of this component.")


def job_rights(namespace: str) -> Iterator[Needed]:
    """In the namespace of the pod. By no name: a run looks also at the Job that the Lease names, whichever it is."""
    why = "A run looks at its own Job, and at the one before it, to know which of them is the newer."
    yield Needed(Right("batch", "jobs", "get", namespace), Need.RUN, why)


def event_rights(namespace: str) -> Iterator[Needed]:
    why = "Optional: Events on the sets; and one that remembers a removal, so that no delayed pod installs again."
    for verb in ("create", "list"):
        yield Needed(Right("events.k8s.io", "events", verb, namespace), Need.OPTIONAL, why)


def definition_rights() -> Iterator[Needed]:
    why = "The definition of InstallerSets, which a run applies where it is absent or older."
    for verb in ("get", "create", "patch"):
        right = Right("apiextensions.k8s.io", "customresourcedefinitions", verb, "", f"{_SETS}.{API_GROUP}")
        yield Needed(right, Need.RUN, why)
