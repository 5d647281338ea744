"""The plan of a prune as text, before anything is done: what goes, in which order, and what stays and why."""

from __future__ import annotations

from collections.abc import Iterable

from hook.pruning.action import Action, Decision
from hook.pruning.order import stages

_GOING = (Action.DELETE, Action.DEFER)
# In the order that people need them: what is in the way, then what stays, then mere bookkeeping.
_HEADINGS = {
    Action.UNKNOWN: "unknown, stays recorded",
    Action.FORBIDDEN: "not permitted, stays recorded",
    Action.WAIT: "being deleted already",
    Action.RETAIN: "kept by rule",
    Action.GIVE_UP: "given up",
    Action.FOREIGN: "foreign, not touched",
    Action.RENAMED: "same object under another name",
    Action.KEEP: "still wanted",
    Action.GONE: "gone already",
}


def render(decisions: Iterable[Decision]) -> tuple[str, ...]:
    """Lines: deletions by phase in their order, then each other outcome under a heading; () for no decisions."""
    by_identity = {decision.identity: decision for decision in decisions}
    lines: list[str] = []
    heading = ""
    for stage in stages(each.identity for each in by_identity.values() if each.action in _GOING):
        title = f"delete, {stage.phase.name.lower().replace('_', ' ')}:"
        if title != heading:
            lines.append(title)
            heading = title
        for identity in stage.members:
            lines += _described(by_identity[identity])
    for action, text in _HEADINGS.items():
        chosen = [each for each in by_identity.values() if each.action is action]
        if chosen:
            lines.append(f"{text}:")
        for decision in sorted(chosen, key=lambda each: each.identity):
            lines += _described(decision)
    return tuple(lines)


def _described(decision: Decision) -> list[str]:
    reason = "" if decision.action is Action.DELETE else f" ({decision.reason})"
    return [f"  {decision.identity}{reason}", *(f"    {note}" for note in decision.notes)]
