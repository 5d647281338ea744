"""The operator's labels on the new sets, by which its component reconciler takes them for its own.

It looks for exactly two main sets, one with `static` and one with `deployment` or `statefulset` in its name, and of its
own release; of what it finds else it deletes every set (its `client/check.go`, `cleanup.go`). So nothing is labelled
that it could take amiss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hook.generations.installer_set import InstallerSet
from hook.handoff.session import Session
from hook.manifests.parts import Part
from hook.tekton.installer_set import MAIN, RELEASE, TYPE, TektonInstallerSet
from hook.tekton.new_sets import operator_marks
from hook.tekton.sets import TektonSets


def label_for_operator(session: Session, sets: TektonSets, desired: Sequence[InstallerSet]) -> None:
    """Label the pair that the operator expects, where the settings name its release; say why not where that fails."""
    found = {one.name: sets.get(one.operator_set.name) for one in desired if one.operator_set}
    marked = [one for one in desired if (live := found.get(one.name)) is not None and operator_marks(live)]
    if not marked:
        return  # nothing of the operator's own was handed over
    release = session.settings.tekton_release
    why = "" if release else "`tektonRelease` does not name the version of the operator that is to take it over"
    pair = [one for one in marked if one.part != Part.STATEFULSET]
    if len(pair) == 1:
        pair = marked
    why = why or _unfit(session.component, pair, found)
    for one in marked:
        live = found[one.name]
        if live is None or (RELEASE in live.labels and live.labels[RELEASE] == release):
            continue
        if not why and one in pair:
            marks: Mapping[str, Mapping[str, str]] = operator_marks(live)
            sets.mark(live, {**marks.get("labels", {}), RELEASE: release}, marks.get("annotations", {}))
        elif RELEASE not in live.labels:
            reason = why or "it looks for two sets, and has the others"
            session.journal.note(
                "warnings", live.identity, f"not labelled for the operator's component reconciler: {reason}"
            )


def _unfit(component: str, pair: Sequence[InstallerSet], found: Mapping[str, TektonInstallerSet | None]) -> str:
    if any(part in component for part in Part):
        return f"it tells sets by their names, and {component} itself has the name of a part in it"
    kinds = {operator_marks(live).get("labels", {}).get(TYPE, "") for one in pair if (live := found[one.name])}
    if kinds != {MAIN}:
        return (
            f"it keeps this component by sets of another type ({', '.join(sorted(kinds - {MAIN}))}), and by one alone"
        )
    if len(pair) != 2 or {one.part for one in pair} == {Part.STATIC}:
        return f"it looks for two sets, and there are {len(pair)}"
    return ""
