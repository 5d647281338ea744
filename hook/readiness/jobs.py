"""Jobs."""

from __future__ import annotations

from hook.readiness.fields import count, flag, mapping
from hook.readiness.state import Readiness, current, failed, in_progress
from hook.readiness.subject import Subject


def job(subject: Subject) -> Readiness:
    """Complete is ready and Failed is failed; a Job that runs is in progress (for kstatus it is ready).

    A suspended one is ready only if the manifest itself suspends it: then nobody expects it to be done.
    """
    conditions = subject.conditions
    if ended_badly := conditions.first_true("Failed"):
        why = ended_badly.message or ended_badly.reason
        return failed("it has failed" + (f": {why}" if why else ""))
    if conditions.is_true("Complete"):
        return current("it is complete")
    if flag(subject.spec, "suspend", "spec"):
        meant = subject.spec if subject.manifest is None else mapping(subject.manifest, "spec")
        if flag(meant, "suspend", "spec"):
            return current("it is suspended by its manifest", "it is suspended: its work is not done")
        return in_progress("it is suspended, though not by its manifest", "the Job to be resumed")
    deciding = next((c for c in ("FailureTarget", "SuccessCriteriaMet") if conditions.is_true(c)), None)
    if deciding:
        return in_progress(f"{deciding}: its last pods are being stopped", "condition Complete or Failed")
    active = count(subject.status, "active", 0, "status")
    done = count(subject.status, "succeeded", 0, "status")
    wrong = count(subject.status, "failed", 0, "status")
    counts = f"{active} active, {done} succeeded, {wrong} failed"
    return in_progress(f"it is not complete ({counts})", "condition Complete")
