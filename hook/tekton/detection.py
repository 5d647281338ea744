"""Whether a component is kept by TektonInstallerSets: as the settings say, else as its records do."""

from __future__ import annotations

from hook.errors import Refused, Unreachable
from hook.handoff.operator import NoOperator, Operator
from hook.handoff.session import Session
from hook.tekton.installer_set import GROUP, TEKTON_SET, VERSION
from hook.tekton.operator import TektonOperator


def operator_for(session: Session, *, looks_only: bool = False) -> Operator:
    """Raises Refused where the settings contradict the records, or the kind of sets is not served."""
    settings = session.settings
    named = settings.kind == "tekton" or bool(settings.tekton_sets)
    served = session.type_of(TEKTON_SET, VERSION)
    if served is None and session.discovery.is_unknown(TEKTON_SET):
        raise Unreachable(f"whether {GROUP} is served cannot be told now; run again")
    if served is None and named:
        raise Refused(f"{TEKTON_SET} is not served by this cluster: the Tekton operator is not installed in it")
    if served is None:
        return NoOperator()
    recorded = [one for one in session.records.read() if one.operator_set is not None]
    if settings.kind == "native":
        if recorded or settings.tekton_sets:
            raise Refused(
                f"{session.component} is kept by TektonInstallerSets, and `kind: native` was given; leave it out, or "
                "remove the component first"
            )
        return NoOperator()
    return TektonOperator(session, looks_only=looks_only) if named or recorded else NoOperator()
