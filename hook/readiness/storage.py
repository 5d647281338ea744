"""PersistentVolumeClaims."""

from __future__ import annotations

from hook.readiness.fields import text
from hook.readiness.state import Readiness, current, failed, in_progress
from hook.readiness.subject import Subject


def claim(subject: Subject) -> Readiness:
    """Bound is ready, Lost is failed.

    A claim that binds only when a Pod uses it (WaitForFirstConsumer) is ready if nothing mounts it: waiting for it
    could never end.
    """
    phase = text(subject.status, "phase", "status")
    if phase == "Bound":
        return current("it is bound")
    if phase == "Lost":
        return failed("its volume is lost: restore the volume, or delete the claim and let it be made anew")
    if phase != "Pending":
        return in_progress(f"its phase is {phase or 'not set'}", "phase Bound")

    class_name = subject.spec.get("storageClassName")
    if class_name == "":
        return in_progress("no volume matches it, and it asks for no StorageClass", "a PersistentVolume for it")
    name = text(subject.spec, "storageClassName", "spec") or None
    mode = subject.related.storage_class_mode(name)
    shown = f"StorageClass {name}" if name else "the default StorageClass"
    if mode is None:
        return in_progress(
            "it is pending", "phase Bound", f"{shown} could not be looked at, and is taken to bind at once"
        )
    if mode != "WaitForFirstConsumer":
        return in_progress("it is pending", "phase Bound")
    mounted = subject.related.claim_is_mounted(subject.namespace, subject.name)
    if mounted is False:
        return current(
            "it binds when a pod uses it, and nothing here mounts it",
            f"it is not bound: {shown} waits for its first consumer",
        )
    return in_progress(
        "it waits for its first consumer", "a pod that mounts it to be scheduled", f"{shown} binds only then"
    )
